/*
 * Start: lay out the picture, read the data of the file afterwards, and listen to events of the window.
 */
/* Get from the file's data what the elements do not have: places of functions, and frames that were not drawn. */
async function readData() {
	const data = svg.querySelector('.hd-data');
	if (!data || typeof DecompressionStream === 'undefined')
		return;
	let tree = null;
	try {
		tree = treeOfData(await unpack(data));
	} catch (e) {
		return;		/* the data is damaged; the picture is complete without it */
	}
	if (!tree)
		return;
	if (svg.dataset.more) {
		whole = tree;
		firstView = makeView(whole);
		whole.all = firstView.total[0];
		review(true);
		if (alone && location.hash.length > 1)
			recall();
	} else if (!svg.dataset.base) {
		takePlaces(tree);
	}
	svg.classList.add('hd-complete');
}
/*
 * Copy the places of functions from the tree of the data to the tree of the picture.  Both have the same frames, but
 * the data is in preorder, so it is arranged in rows first.
 */
function takePlaces(tree) {
	const v = arrange(tree, 'given');
	if (v.node.length === first0.node.length)
		v.node.forEach((k, i) => {
			if (tree.place[k])
				whole.place[first0.node[i]] = tree.place[k];
		});
}

window.addEventListener('resize', () => {
	const page = document.documentElement,
		atEnd = alone && window.scrollY > 0 && window.scrollY + seen > page.scrollHeight - 4;
	seen = window.innerHeight;
	setHover(-1);
	layout();
	panel.place();
	say();
	if (atEnd && !icicle)
		showRoot();
});
if (alone) {
	window.addEventListener('scroll', () => {
		stick();
		panel.place();
	});
	window.addEventListener('popstate', recall);
	window.addEventListener('hashchange', recall);
}
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => paint());

const icicleAtFirst = icicle;
el[0].setAttribute('tabindex', '0');
paint();
layout();
if (alone && location.hash.length > 1)
	recall();
else
	say();
if (svg.getBoundingClientRect().width !== W)
	layout();	/* a scroll bar may have appeared meanwhile */
showRoot();
whole.all = total[0];
svg.classList.add('hd-ready');
readData();
