/*
 * Light and dark: the reader's system decides until the button or `d` is used.  Style sheets do not apply to canvases,
 * so their colours are read from the style sheet once per theme.  The page defines shadeClasses(): the classes of its
 * frames.
 */
const dark = window.matchMedia('(prefers-color-scheme: dark)');
let theme = '';		/* '': as the system prefers */
let ink = {};
const themeListeners = [];
/* CSS classes of palette.h for a change: five shades for less cost, one for no change, five for more cost. */
const CHANGE_CLASSES = ['b4', 'b3', 'b2', 'b1', 'b0', 'z0', 'r0', 'r1', 'r2', 'r3', 'r4'];

let printing = false;
const isDark = () => !printing && (theme ? theme === 'dark' : dark.matches);
const seriesColour = i => ink.series[i % ink.series.length];
const seriesDash = i => i < ink.series.length ? null : [5, 3];

function readInk() {
	const style = getComputedStyle(document.documentElement), probe = $('probe'),
		of = name => style.getPropertyValue(`--${name}`).trim();
	ink = { series: [], frame: {} };
	for (const name of ['paper', 'text', 'mute', 'line', 'grid', 'accent', 'match', 'less', 'more',
			'fail', 'pass', 'shift', 'unsure'])
		ink[name] = of(name);
	for (let i = 0; i < 10; i++)
		ink.series.push(of(`s${i}`));
	ink.heat = [0, 1, 2, 3].map(i => (of(`heat${i}`).match(/[0-9a-f]{2}/g) || []).map(v => parseInt(v, 16)));
	for (const cls of [...shadeClasses(), ...CHANGE_CLASSES])
		if (!ink.frame[cls]) {
			const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
			rect.setAttribute('class', cls);
			probe.append(rect);
			ink.frame[cls] = getComputedStyle(rect).fill;
			rect.remove();
		}
}

function showTheme() {
	document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
	$('probe').dataset.theme = document.documentElement.dataset.theme;
	$('theme').textContent = isDark() ? 'Light' : 'Dark';
	readInk();
	themeListeners.forEach(f => f());
}
function turnTheme() {
	theme = isDark() ? 'light' : 'dark';
	showTheme();
}
dark.addEventListener('change', showTheme);

/*
 * Print the page in light colours and as wide as the paper (page.css).  A canvas keeps its pixels when its width
 * changes, so all canvases are drawn again before the browser lays out the paper.
 */
function setPrinting(on) {
	printing = on;
	document.documentElement.classList.toggle('printing', on);
	showTheme();
	flush();
}
window.addEventListener('beforeprint', () => setPrinting(true));
window.addEventListener('afterprint', () => setPrinting(false));
