/** An element of an SVG picture as plain data, for elements of the page and for the text of a file. */
export interface SvgNode {
  tag: 'svg' | 'g' | 'line' | 'path' | 'rect' | 'circle' | 'text' | 'tspan';
  attributes: Readonly<Record<string, string | number>>;
  children?: readonly SvgNode[];
  /** Content of a `text` or `tspan`. */
  text?: string;
}

/** Returns the text of an SVG element with its children; escapes attributes and texts. */
export function formatSvg({ tag, attributes, children = [], text = '' }: SvgNode): string {
  const pairs = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escapeXml(String(value))}"`,
  );
  const inside = `${escapeXml(text)}${children.map(formatSvg).join('')}`;
  return `<${tag}${pairs.join('')}>${inside}</${tag}>`;
}

/** Returns a text escaped for XML, also for attributes. */
export function escapeXml(text: string): string {
  return getXmlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Returns the text with U+FFFD for each character that XML cannot contain, even escaped: control characters, halves of
 * surrogate pairs, U+FFFE and U+FFFF. A single one makes a browser refuse the whole file.
 */
export function getXmlCharacters(text: string): string {
  return text.replaceAll(
    /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,
    '\u{FFFD}',
  );
}
