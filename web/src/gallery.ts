// Cards of examples: what they show, and what to look at.
import {wireTheme} from './theme';

interface Card {example: string; title: string; look: string}

const papers: Card[] = [
  {example: 'catalog/bouncing-ball', title: 'Bouncing ball', look: 'Impacts accumulate at a finite time. Scrub to the end of the strip: left and right limits of the velocity at each impact, and the bound of the accumulation time in the report.'},
  {example: 'catalog/impact-oscillator', title: 'Impact oscillator', look: 'An oscillator between stops (Acary 2012, Studer 2008). Press Converge: the order through impacts is what the run by tolerance keeps and schemes with steps lose.'},
  {example: 'woodpecker', title: 'Woodpecker toy', look: 'Three contacts with friction make a periodic motion with 13 switching points a period (Glocker, Studer 2008). Step from event to event with [ and ].'},
  {example: 'catalog/homogeneous-chain', title: 'Wave in a chain of beads', look: 'Kuwabara–Kono contacts carry a solitary wave (James, Vorotnikov, Brogliato 2020). Displacements are enlarged; plot the velocity of one bead after the other.'},
  {example: 'cradle-newton', title: 'Newton’s cradle by impact laws', look: 'Three balls with Newton’s law: compare with the compliant cradles, where the impact takes time.'},
  {example: 'cradle-kuwabara-kono', title: 'Newton’s cradle, viscoelastic', look: 'The same cradle with a compliant law: no jump, but a short contact. Zoom into the plot until it is smooth.'},
  {example: 'catalog/flexible-pendulum', title: 'Flexible pendulum', look: 'A beam that hits a stop (Brüls, Acary, Cardona 2018): generalized-α keeps constraints on all levels; see the residuals in the JSON.'},
  {example: 'bar-hammer', title: 'Bar hit by a hammer', look: 'Waves run along the bar and come back as events of the contact.'},
  {example: 'double-pendulum-wall', title: 'Double pendulum against a wall', look: 'Written as a Lagrangian; the picture comes from its formulas. Energy falls at the impact only.'},
];
const machines: Card[] = [
  {example: 'dominoes', title: 'Row of dominoes', look: 'Hundreds of events of impact, stick and slip; arrows are forces, their colour is the mode of the contact.'},
  {example: 'box-stack', title: 'Stack of boxes', look: 'At rest the forces share the load; nothing creeps.'},
  {example: 'drum', title: 'Turning drum', look: '44 disks in a drum with friction; follow one of them.'},
  {example: 'slider-crank', title: 'Slider-crank with clearance', look: 'The slider bounces in its guide; the strip shows where impacts accumulate.'},
  {example: 'geneva', title: 'Geneva drive', look: 'A pin turns a wheel by steps: contact, slip and release.'},
  {example: 'stairs', title: 'Box on stairs', look: 'Impacts, flights and rest; triangles on the strip are accumulations of impacts. Change e_n in the text and run again.'},
  {example: 'stick-slip', title: 'Stick and slip on a belt', look: 'Plot x\' over x: the straight line is the belt’s speed.'},
];
const space: Card[] = [
  {example: 'thrown-die', title: 'Thrown die', look: 'Corners hit in turn, then the die slides and rests on a face. Drag to look from elsewhere; step with [ and ].'},
  {example: 'heavy-top', title: 'Heavy top', look: 'Precession and nutation; follow the top, and plot a component of its spin over another.'},
  {example: 'wheel-and-screw', title: 'Motor, gear and screw', look: 'A motor of limited torque drives a screw until its nut meets a stop; plot the way of the nut and step to the event.'},
];

const pictures = import.meta.glob<string>('../gallery/*.png', {query: '?url', import: 'default', eager: true});

function card(c: Card): HTMLElement {
  const a = document.createElement('a'), img = document.createElement('img'), h = document.createElement('h3'), p = document.createElement('p');
  a.className = 'card';
  a.href = `./index.html#example=${c.example}`;
  const picture = pictures[`../gallery/${c.example.replace('/', '-')}.png`];
  if (picture) {
    img.src = picture;
    img.alt = '';
    img.loading = 'lazy';
    a.append(img);
  }
  h.textContent = c.title;
  p.textContent = c.look;
  a.append(h, p);
  return a;
}
function section(title: string, cards: Card[]): HTMLElement[] {
  const h = document.createElement('h2');
  h.textContent = title;
  return [h, ...cards.map(card)];
}
wireTheme(null, () => {});
document.getElementById('gallery')!.append(...section('From the papers', papers), ...section('Machines and bodies', machines), ...section('In space', space));
