import { For, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import type { SvgNode } from './svg.ts';

/** An SVG picture on the page. */
export function Svg(props: { node: SvgNode }): JSX.Element {
  return (
    <Dynamic component={props.node.tag} {...props.node.attributes}>
      {props.node.text}
      <For each={props.node.children}>{(child) => <Svg node={child} />}</For>
    </Dynamic>
  );
}
