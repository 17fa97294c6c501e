import { formatCount, formatFitness } from '#shared/number-format.ts';
import type { Range } from './figure.ts';

/** A position on an axis with its label. */
export interface Tick {
  value: number;
  label: string;
  /** Exponent of ten, raised behind the label. */
  exponent?: string;
}

/** Whether labels have room at the places of the ticks; `ticks` rise. */
export type Fits = (ticks: readonly Tick[]) => boolean;

/**
 * Returns the most ticks of round distance whose labels fit; one or none if none fit, none for an empty range. On a
 * linear axis they are 1, 2 or 5 times a power of ten apart (`isWhole`: at least 1), on a logarithmic one they are at
 * 1, 2 and 5 of each power of ten, at each power, or at every second, third … one. A log axis shorter than a decade has
 * linear ticks.
 */
export function getTicks(
  range: Range,
  kind: 'linear' | 'log',
  fits: Fits,
  isWhole = false,
): readonly Tick[] {
  const [low, high] = [Math.min(...range), Math.max(...range)];
  if (!(high > low)) return [];
  const isLog = kind === 'log' && Math.log10(high / low) >= 1;
  const candidates = isLog ? makeLogarithmicTicks(low, high) : makeLinearTicks(low, high, isWhole);
  let last: readonly Tick[] = [];
  for (const ticks of candidates) {
    last = ticks;
    if (fits(ticks)) break;
  }
  return last;
}

function* makeLinearTicks(low: number, high: number, isWhole: boolean): Generator<Tick[]> {
  const finest = Math.floor(Math.log10((high - low) / 50));
  for (
    let exponent = isWhole ? Math.max(0, finest) : finest;
    exponent <= finest + 3;
    exponent += 1
  ) {
    for (const digit of [1, 2, 5]) {
      const step = digit * 10 ** exponent;
      // Beyond the range of a double there is no such distance.
      if (!(step > 0 && Number.isFinite(step))) continue;
      // Multiples of whole steps are exact, those of 0.1 are not.
      const first = Math.ceil(low / step - 1e-9);
      const count = Math.floor(high / step + 1e-9) - first + 1;
      const values = Array.from({ length: Math.max(0, count) }, (_, index) =>
        Number(((first + index) * step).toPrecision(12)),
      );
      yield labelTicks(values);
    }
  }
}

function* makeLogarithmicTicks(low: number, high: number): Generator<Tick[]> {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const inside = (values: number[]) =>
    values.filter(
      (value) => Number.isFinite(value) && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9),
    );
  const exponents = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  yield labelTicks(
    inside(exponents.flatMap((exponent) => [1, 2, 5].map((digit) => power(exponent, digit)))),
  );
  for (let step = 1; step <= exponents.length; step += 1) {
    yield labelTicks(
      inside(
        exponents.filter((exponent) => exponent % step === 0).map((exponent) => power(exponent)),
      ),
    );
  }
}

/** A power of ten as it is written, not as it is multiplied: 10 ** -5 is a little off. */
function power(exponent: number, digit = 1): number {
  return Number(`${digit}e${exponent}`);
}

/** The values with their labels, all written in one manner: plain numbers, or powers of ten where one needs it. */
function labelTicks(values: readonly number[]): Tick[] {
  const sizes = values.filter((value) => value !== 0).map(Math.abs);
  const isPlain = sizes.every((size) => size >= 1e-4 && size < 1e7);
  return values.map((value) =>
    isPlain ? { value, label: getPlainLabel(value) } : { value, ...getPowerLabel(value) },
  );
}

function getPlainLabel(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : formatFitness(value);
}

/** A number as digits times a power of ten: "10" with "−7", "2·10" with "6", "0" without any. */
function getPowerLabel(value: number): Pick<Tick, 'label' | 'exponent'> {
  const [digits = '', exponent = '+0'] = Number(value.toPrecision(4)).toExponential().split('e');
  const factor = digits.replace('-', '−');
  if (exponent === '+0') return { label: factor };
  const label = factor === '1' ? '10' : `${factor}·10`;
  return { label, exponent: exponent.replace('+', '').replace('-', '−') };
}

/** Fewest characters that identify a name. */
const identifyingLength = 6;

/**
 * Returns the ticks with their names as long as `roomPixels` between two of them allows; if that is too little for any
 * name, only every second, third, … tick.
 */
export function makeNamedTicks(
  ticks: readonly Tick[],
  roomPixels: number,
  fontPixels: number,
): readonly Tick[] {
  const longest = Math.max(0, ...ticks.map(({ label }) => getTextWidth(label, fontPixels)));
  const least = Math.min(longest, identifyingLength * getCharacterWidth('a') * fontPixels);
  const step = Math.max(1, Math.ceil((least + fontPixels) / roomPixels));
  const room = step * roomPixels - fontPixels;
  return ticks
    .filter((_, index) => index % step === 0)
    .map((tick) => ({ ...tick, label: truncateText(tick.label, room, fontPixels) }));
}

/**
 * Returns the text, or its beginning and end around an ellipsis, at most about `roomPixels` wide; one character at
 * least. It includes the end, because names of a family often differ only there.
 */
export function truncateText(text: string, roomPixels: number, fontPixels: number): string {
  if (getTextWidth(text, fontPixels) <= roomPixels) return text;
  const characters = Array.from(text);
  const keep = (count: number): string => {
    const last = Math.floor(count / 3);
    const end = last > 0 ? characters.slice(-last).join('') : '';
    return `${characters.slice(0, count - last).join('')}…${end}`;
  };
  let count = characters.length - 1;
  while (count > 1 && getTextWidth(keep(count), fontPixels) > roomPixels) count--;
  return keep(count);
}

/** Returns the approximate width of the label of a tick, in pixels. */
export function getTickWidth({ label, exponent = '' }: Tick, fontPixels: number): number {
  return getTextWidth(label, fontPixels) + getTextWidth(exponent, fontPixels * 0.75);
}

/** Returns the approximate width of a text in a sans-serif face, in pixels; rather too wide than too narrow. */
export function getTextWidth(text: string, fontPixels: number): number {
  let width = 0;
  for (const character of text) width += getCharacterWidth(character);
  return width * fontPixels;
}

function getCharacterWidth(character: string): number {
  if (/[\u2009.,·'|ijlI:;!]/.test(character)) return 0.3;
  if (/[mwMW@%]/.test(character)) return 0.92;
  return /[A-Z0-9=+−<>]/.test(character) ? 0.66 : 0.58;
}
