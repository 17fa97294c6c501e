/** An element of an SVG picture: pure data, made into the page's elements or into the text of a file. */
export interface SvgNode {
  tag: 'svg' | 'g' | 'line' | 'path' | 'rect' | 'circle' | 'text' | 'tspan';
  attributes: Readonly<Record<string, string | number>>;
  children?: readonly SvgNode[];
  /** Content of a `text` or `tspan`. */
  text?: string;
}

/** The text of an SVG element, with all that is in it; names are escaped. */
export function formatSvg({ tag, attributes, children = [], text = '' }: SvgNode): string {
  const pairs = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escapeXml(String(value))}"`,
  );
  const inside = `${escapeXml(text)}${children.map(formatSvg).join('')}`;
  return `<${tag}${pairs.join('')}>${inside}</${tag}>`;
}

/** Text as it is written in XML, in attributes too. */
export function escapeXml(text: string): string {
  return getXmlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * The text with U+FFFD for each character that XML cannot hold, not even escaped: control characters, halves of
 * surrogate pairs, U+FFFE and U+FFFF. A single one makes a browser refuse the whole file.
 */
export function getXmlCharacters(text: string): string {
  return text.replaceAll(
    /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,
    '\u{FFFD}',
  );
}
