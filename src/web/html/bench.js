/* The page of a benchmark: the system chooses light or dark until the button or the key `d` is used. */
(() => {
'use strict';

const root = document.documentElement, dark = window.matchMedia('(prefers-color-scheme: dark)');
const button = document.getElementById('theme');
let theme = '';		/* '': as the system prefers */

function paint() {
	root.dataset.theme = theme || (dark.matches ? 'dark' : 'light');
	button.textContent = root.dataset.theme === 'dark' ? 'Light' : 'Dark';
}
function turnTheme() {
	theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
	paint();
}

button.addEventListener('click', turnTheme);
dark.addEventListener('change', paint);
document.addEventListener('keydown', e => {
	if (e.key === 'd' && !e.ctrlKey && !e.metaKey && !e.altKey)
		turnTheme();
});
paint();
root.classList.add('ready');
})();
