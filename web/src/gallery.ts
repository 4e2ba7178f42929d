// Cards of examples: what they show, and what to look at.
import {wireTheme} from './theme';

interface Card {example: string; title: string; look: string}

const papers: Card[] = [
  {example: 'bouncing-ball', title: 'Bouncing ball', look: 'The ball bounces infinitely often in a finite time. Move along the strip: at each impact you see the velocity before it and after it. The report gives bounds for the time at which the impacts end.'},
  {example: 'catalog/impact-oscillator', title: 'Impact oscillator', look: 'A mass on a spring hits a stop (Acary 2012, Studer 2008). Choose a scheme with steps, press Converge, and compare its order with that of the run by tolerance.'},
  {example: 'woodpecker', title: 'Woodpecker toy', look: 'Three contacts with friction make the bird climb down in a periodic motion (Glocker, Studer 2008). Step from event to event with the keys [ and ].'},
  {example: 'catalog/homogeneous-chain', title: 'Wave in a chain of beads', look: 'The first bead pushes the others, and a solitary wave runs along the chain (James, Vorotnikov, Brogliato 2020). Displacements are enlarged. Plot the velocities of a few beads one after the other.'},
  {example: 'cradle-newton', title: 'Newton’s cradle with an impact law', look: 'Three balls that touch share one impact, which takes no time, and fly apart. Compare their last velocities with those of the viscoelastic cradle.'},
  {example: 'cradle-kuwabara-kono', title: 'Newton’s cradle with viscoelastic balls', look: 'The same cradle, but the balls deform and the contact takes time. Zoom into the plot of the velocities until they are smooth.'},
  {example: 'catalog/flexible-pendulum', title: 'Flexible pendulum', look: 'A beam on a hinge swings until its tip hits a stop (Brüls, Acary, Cardona 2018). After the impact the beam vibrates: plot the velocity of its tip.'},
  {example: 'bar-hammer', title: 'Bar hit by a hammer', look: 'The blow starts a wave that runs along the bar to the wall. Plot the velocities of its elements one after the other.'},
  {example: 'double-pendulum-wall', title: 'Double pendulum against a wall', look: 'The tip hits a wall, and both angular velocities jump. Turn the tolerance and watch the error bars. The energy falls at the impact only.'},
];
const machines: Card[] = [
  {example: 'dominoes', title: 'Row of dominoes', look: 'The arrows are contact forces, and their colour tells whether the contact sticks or slips. Play slowly and watch where the dominoes touch.'},
  {example: 'box-stack', title: 'Stack of boxes', look: 'The boxes come to rest. The forces share the weight, and nothing creeps.'},
  {example: 'drum', title: 'Turning drum', look: '44 disks with friction in a drum that turns. Follow one of them with the camera.'},
  {example: 'slider-crank', title: 'Slider-crank with clearance', look: 'The slider bounces between the two walls of its guide. The triangles on the strip are accumulations of impacts.'},
  {example: 'geneva', title: 'Geneva drive', look: 'A pin turns a wheel by quarters. Watch it enter a slot, slide in it and leave it.'},
  {example: 'stairs', title: 'Box on stairs', look: 'The box falls down the stairs and comes to rest. Change its restitution e_n in the text and run it again.'},
  {example: 'stick-slip', title: 'Block on a belt', look: 'The belt carries the block along until the spring pulls it back. Plot its velocity over its position: the straight line is the speed of the belt.'},
];
const space: Card[] = [
  {example: 'thrown-die', title: 'Thrown die', look: 'The corners hit one after the other, then the die slides and rests on a face. Drag the picture to look from another side.'},
  {example: 'heavy-top', title: 'Heavy top', look: 'The axis of the top goes around and nods. Plot one component of its spin over another.'},
  {example: 'wheel-and-screw', title: 'Motor, gear and screw', look: 'A motor of limited torque turns a screw until its nut meets a stop. Plot the position of the nut and step to the event.'},
  {example: 'space/rattleback', title: 'Rattleback', look: 'The stone is spun the wrong way. It begins to rattle, stops, and turns back. Plot its spin over time.'},
  {example: 'space/tippe-top', title: 'Tippe top', look: 'Friction at the contact turns the top over until it spins upside down. Play it at a tenth of real time.'},
  {example: 'space/string-cradle', title: 'Newton’s cradle on strings', look: 'The first ball swings in and the last one swings out. Step to the impact and compare the velocities on both sides.'},
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
