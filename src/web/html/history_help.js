/*
 * Keys and explanations of the history page.
 */
const HELP_KEYS = [
	['Anywhere', [['/', 'filter symbols, commits and branches'],
		['+  \u2212  0', 'zoom in, out, everything'], [',  .', 'earlier, later'],
		['x', 'axis: runs, commits with mean and interval, time'], ['d', 'light or dark'], ['?', 'this help']]],
	['Charts', [['\u2190  \u2192', 'the run before, the next; with Shift ten'],
		['Home  End', 'the first, the latest'], ['p  n', 'the change before, the next'],
		['a  b', 'compare this run as A, as B'],
		['drag', 'zoom into a range; with Shift, or by touch, move'], ['Ctrl and wheel', 'zoom'],
		['click', 'hold the cursor'], ['double click', 'everything'], ['Esc', 'release the cursor']]],
	['Top five', [['\u2191  \u2193', 'move'], ['Enter', 'show the run in the charts']]],
	['Flamegraph', [['\u2193  \u2191', 'costliest callee, caller'], ['\u2190  \u2192', 'neighbours'],
		['Enter, click', 'zoom'], ['/', 'search'], ['Esc', 'reset']]],
];
const HELP_WORDS = [
	['Share', 'self cost of a symbol in per cent of its event, run by run.'],
	['\u25b2 \u25bc on a chart', 'a change point: the level changes at this run by 5 % or more (p 0.001), ' +
		'computed from the runs of status ok.'],
	['Pale bands', 'where the next run is expected with 90 % probability, computed from the last 5 to 30 ' +
		'runs since the level changed; stronger after the last run.'],
	['Verdicts', 'results of gate and drift; a run shows its worst verdict.'],
	['Comparable', 'a chart shows only runs of one target, mode, event, unit and machine; select them in ' +
		'the list at the top.'],
	['Many runs', 'if there are more runs than pixels, a band shows their smallest and largest value, a ' +
		'line their mean.'],
];
