/*
 * Fill the help dialog and open it.  keys: a list of sections [title, [[key, meaning]...]]; words: a list of
 * [word, meaning].
 */
function buildHelp(keys, words) {
	const help = $('help');
	help.replaceChildren(make('div', { class: 'head' }, make('h2', { id: 'help-title' }, 'Help'),
		make('span', { class: 'grow' }),
		make('button', { type: 'button', onclick: () => help.close(), autofocus: true }, 'Close')),
	make('dl', { class: 'words' }, ...words.flatMap(([t, d]) => [make('dt', {}, t), make('dd', {}, d)])),
	make('div', { class: 'keys' }, ...keys.map(([title, rows]) => make('section', {}, make('h3', {}, title),
		make('dl', {},
			...rows.flatMap(([k, d]) => [make('dt', {}, make('kbd', {}, k)), make('dd', {}, d)]))))));
	help.addEventListener('click', e => { if (e.target === help) help.close(); });
}
const openHelp = () => { if (!$('help').open) $('help').showModal(); };
