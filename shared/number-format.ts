import { readNumber } from './syntax.ts';

/** Text for a missing value. */
export const noValue = '–';

const thinSpace = '\u2009';

/**
 * Returns the text of a fitness value with up to 6 significant digits ("0.375712", "33.16"), without zeros at the end
 * of a fraction. The text has a power of ten for absolute values below 1e−4 and from 1e9 ("1.2e−9"). It is "∞" or "−∞"
 * for infinities, "0" for 0, and "–" for null, undefined and NaN.
 */
export function formatFitness(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return noValue;
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e9)) {
    return trimExponential(value.toExponential(5)).replace('-', '−').replace('e-', 'e−');
  }
  return String(Number(value.toPrecision(6))).replace('-', '−');
}

/**
 * Returns the texts of distinct fitness values, in their order. The texts are those of {@link formatFitness}. If two of
 * them are equal, the texts have all digits of the values instead.
 */
export function formatDistinctFitness(values: readonly number[]): string[] {
  const texts = values.map(formatFitness);
  if (new Set(texts).size === texts.length) return texts;
  return values.map((value) =>
    Number.isFinite(value)
      ? String(value).replaceAll('-', '−').replace('e+', 'e')
      : formatFitness(value),
  );
}

function trimExponential(text: string): string {
  return text.replace(/\.?0+e/, 'e').replace('e+', 'e');
}

/** The smallest positive double with full precision. Smaller ones have fewer correct digits. */
const minimumNormal = 2 ** -1022;

/**
 * Returns the text of a p-value with up to three significant digits ("0.0123"). The text has a power of ten if the
 * rounded value is below 0.001 ("4.51e−8", "1.2e−40"). It is "< 1e−300" for a value below {@link minimumNormal}, and
 * "–" for null, undefined and NaN.
 */
export function formatPValue(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return noValue;
  if (value < minimumNormal) return '< 1e−300';
  const roundedValue = Number(value.toPrecision(3));
  if (roundedValue >= 1e-3) return String(roundedValue);
  return trimExponential(roundedValue.toExponential(2)).replace('e-', 'e−');
}

/** Returns a p-value for a sentence: "p = 0.0123", "p < 1e−300"; "p = –" for null, undefined and NaN. */
export function describePValue(value: number | null | undefined): string {
  const text = formatPValue(value);
  return text.startsWith('<') ? `p ${text}` : `p = ${text}`;
}

/**
 * Returns the text of a test statistic, a rank or an effect size, like {@link formatFitness}, but with up to four
 * significant digits.
 */
export function formatStatistic(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatFitness(value);
  return formatFitness(Number(value.toPrecision(4)));
}

/**
 * Returns the text of a share in per cent with one decimal ("86.7 %", with a thin space). Only 0 is "0.0 %": a positive
 * share below 0.05 % is "< 0.1 %". Only 1 is "100.0 %": a share of at least 99.95 % but below 1 is "> 99.9 %". The text
 * is "–" for null, undefined and NaN.
 */
export function formatShare(value: number | null | undefined): string {
  if (value && value > 0 && value < 0.0005) return `< 0.1${thinSpace}%`;
  if (value && value >= 0.9995 && value < 1) return `> 99.9${thinSpace}%`;
  return formatShareDifference(value);
}

/**
 * Returns the text of a difference of shares in per cent with one decimal. A negative difference has a sign ("−3.1 %")
 * unless it rounds to 0. The text is "–" for null, undefined and NaN.
 */
export function formatShareDifference(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return noValue;
  const percent = (100 * value).toFixed(1);
  return `${percent.replace('-', Number(percent) === 0 ? '' : '−')}${thinSpace}%`;
}

/**
 * Returns the text of a count with thin spaces between thousands ("1 200", "480 000"). Rounds numbers to whole numbers.
 * From 1e21, the text of a number has a power of ten ("1e+21"). Accepts text with digits, because a number may not
 * represent a large integer. Returns other text unchanged, because a database may contain it. The text is "∞" or "−∞"
 * for infinities, and "–" for null, undefined and NaN.
 */
export function formatCount(value: number | string | null | undefined): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return formatFitness(value);
  if (value === null || value === undefined) return noValue;
  const digits = typeof value === 'number' ? String(Math.round(value)) : value;
  if (!/^-?\d+$/.test(digits)) return digits;
  return digits.replace('-', '−').replace(/\B(?=(\d{3})+$)/g, thinSpace);
}

/** Returns a count with its noun: "1 run", "1 200 runs", "2 directories". The default of `plural` adds an s. */
export function describeCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/**
 * Returns the words for a common budget in evaluations: "within 2 000 evaluations". The words for 0 are "over whole
 * runs": only data without evaluations have this budget, and comparisons use the final values of such data.
 */
export function describeBudget(evaluations: number): string {
  return evaluations === 0
    ? 'over whole runs'
    : `within ${describeCount(evaluations, 'evaluation')}`;
}

/**
 * Returns the sentence that the values of groups apply within the smallest common budget in evaluations. For null
 * (there are no tested pairs) and 0 (the data have no evaluations), the sentence states that the values are over whole
 * runs.
 */
export function describeSmallestBudget(evaluations: number | null): string {
  const words = `Values ${describeBudget(evaluations ?? 0)}`;
  return evaluations ? `${words}, the smallest common budget.` : `${words}.`;
}

/**
 * Returns the text of an expected runtime in evaluations. If the rounded value is below 1,000, the text is like {@link
 * formatStatistic} ("16.88", "17"). From 1,000, it is a whole number with thin spaces between thousands ("123 457").
 * From 1e15, it has a power of ten. It is "∞" or "−∞" for infinities, and "–" for null, undefined and NaN.
 */
export function formatRuntime(value: number | null | undefined): string {
  if (value === null || value === undefined || !(Math.abs(value) < 1e15))
    return formatFitness(value);
  const roundedValue = Number(value.toPrecision(4));
  return Math.abs(roundedValue) < 1000 ? formatFitness(roundedValue) : formatCount(value);
}

/**
 * Returns the text of a duration: "53 ms", "3.6 s", "4 min 12 s", "2 h 5 min", "3 d 4 h"; "–" for null, undefined, NaN
 * and infinities. Accepts text with a decimal number, and returns other text unchanged.
 */
export function formatDuration(milliseconds: number | string | null | undefined): string {
  const millis = readNumber(milliseconds);
  if (millis === null) return typeof milliseconds === 'string' ? milliseconds : noValue;
  if (millis < 999.5) return `${Math.round(millis)} ms`;
  if (millis < 59_950) return `${(millis / 1000).toFixed(1)} s`;
  const seconds = Math.round(millis / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const byteUnits = ['kB', 'MB', 'GB', 'TB'];

/**
 * Returns the text of a size in bytes, up to TB ("512 B", "28.2 MB"). The units have decimal names, but each is 1,024
 * times the previous one. The text is "–" for null, undefined and NaN.
 */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || Number.isNaN(bytes)) return noValue;
  if (bytes < 1024) return `${bytes} B`;
  let amount = bytes / 1024;
  let unitIndex = 0;
  // 1023.95 rounds to 1024.0, so it needs the next unit.
  while (amount >= 1023.95 && unitIndex < byteUnits.length - 1) {
    amount /= 1024;
    unitIndex += 1;
  }
  return `${amount.toFixed(1)} ${byteUnits[unitIndex]}`;
}
