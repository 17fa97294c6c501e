/** A number with a fixed text, because Java distinguishes 24 (an int) from 24.0 (a double) in JSON. */
export class JavaNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value of the runner. A plain number is a Java int or long, so it must be a whole number. */
export type JavaValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | JavaNumber
  | readonly JavaValue[]
  | { readonly [key: string]: JavaValue };

export type JavaObject = Readonly<Record<string, JavaValue>>;

/** Returns a number as a Java double. */
export function toDouble(value: number): JavaNumber {
  return new JavaNumber(formatDouble(value));
}

/** Returns an array of numbers as Java doubles. */
export function toDoubleList(values: readonly number[]): JavaNumber[] {
  return values.map(toDouble);
}

/** Returns an object with the same keys in the same order, and each value as a Java double. */
export function toDoubles(values: Readonly<Record<string, number>>): JavaObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toDouble(value)]));
}

/**
 * Returns the text of a double as Java's `Double.toString` prints it: always with a fraction (`24.0`), with an exponent
 * (`5.0E-4`) below 1e-3 and from 1e7, and `NaN`, `Infinity` or `-Infinity`.
 */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return addFraction(String(value));
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${addFraction(digits)}E${exponent.replace('+', '')}`;
}

function addFraction(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`;
}

/** Returns compact JSON with the keys in their order. Numbers that are not finite become strings, as in Jackson. */
export function formatJavaJson(value: JavaValue): string {
  if (value instanceof JavaNumber) return formatJsonNumber(value);
  if (typeof value === 'bigint') return String(value);
  if (isJavaArray(value)) return `[${value.map(formatJavaJson).join(',')}]`;
  if (isJavaObject(value)) {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}:${formatJavaJson(item)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

function formatJsonNumber({ text }: JavaNumber): string {
  return Number.isFinite(Number(text)) ? text : JSON.stringify(text);
}

/** Returns whether a value is a JSON array. */
export function isJavaArray(value: JavaValue): value is readonly JavaValue[] {
  return Array.isArray(value);
}

/** Returns whether a value is a JSON object. */
export function isJavaObject(value: JavaValue): value is JavaObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JavaNumber)
  );
}

/** Returns the value with the keys of all objects sorted by UTF-16 code units. */
export function sortKeys(value: JavaValue): JavaValue {
  if (isJavaArray(value)) return value.map(sortKeys);
  if (!isJavaObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}
