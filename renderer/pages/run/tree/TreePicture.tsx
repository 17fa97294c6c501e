import { createEffect, createMemo, createSignal, For, on, type JSX } from 'solid-js';
import type { TreeNode } from '#shared/schemas/tree.ts';
import { getTextStart } from '#shared/syntax.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { placeNodes, simplify, type PlacedNode } from './tree-layout.ts';
import { getFirstBox, getMovedBox, getWholeBox, getZoomedBox, type ViewBox } from './view-box.ts';

/** Distances of the drawing, in its own units. */
const mostWidth = 76;
const leafGap = 12;
const levelHeight = 64;
const nodeHeight = 26;
/** Size of the initial view. */
const leastSize = { x: 640, y: 300 };
const readableSize = { x: 1400, y: 900 };

const getWidth = ({ label }: PlacedNode): number => Math.min(mostWidth, 16 + 7.4 * label.length);

/** A node with its position. */
interface DrawnNode extends PlacedNode {
  y: number;
}

/** Returns the nodes in the units of the drawing; leaves are as far apart as the widest node needs. */
function makeDrawnNodes(ast: TreeNode): DrawnNode[] {
  const nodes = placeNodes(ast);
  const leafWidth = nodes.reduce((widest, node) => Math.max(widest, getWidth(node)), 0) + leafGap;
  return nodes.map((node) => ({ ...node, x: node.x * leafWidth, y: node.depth * levelHeight }));
}

/**
 * The program as a tree: the wheel, `+` and `-` zoom, dragging and arrows move, `0` shows everything. A large tree
 * initially shows a readable part.
 */
export function TreePicture(props: { ast: TreeNode }): JSX.Element {
  const [hasRules, setRules] = createUrlSignal('rules', asFlag('shown'));
  const nodes = createMemo(() => makeDrawnNodes(hasRules() ? props.ast : simplify(props.ast)));
  const whole = createMemo(() =>
    getWholeBox(nodes(), { x: mostWidth / 2, y: nodeHeight }, leastSize),
  );
  const first = (): ViewBox => getFirstBox(whole(), nodes()[0]?.x ?? 0, readableSize);
  const [box, setBox] = createSignal(first());
  createEffect(on(whole, () => setBox(first()), { defer: true }));
  const zoom = (factor: number): void => void setBox(getZoomedBox(box(), whole(), factor));
  const fit = (): void => void setBox(whole());
  const actions: Readonly<Record<string, () => void>> = {
    '+': () => zoom(1.25),
    '=': () => zoom(1.25),
    '-': () => zoom(0.8),
    '0': fit,
    ArrowLeft: () => setBox(getMovedBox(box(), -0.1, 0)),
    ArrowRight: () => setBox(getMovedBox(box(), 0.1, 0)),
    ArrowUp: () => setBox(getMovedBox(box(), 0, -0.1)),
    ArrowDown: () => setBox(getMovedBox(box(), 0, 0.1)),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  };
  const onPointerMove = (event: PointerEvent & { currentTarget: SVGSVGElement }): void => {
    if (event.buttons !== 1) return;
    const { width, height } = event.currentTarget.getBoundingClientRect();
    // The drawing keeps its aspect ratio, so the tighter side determines the scale.
    const scale = Math.max(box().width / width, box().height / height);
    const [right, down] = [event.movementX * scale, event.movementY * scale];
    setBox(getMovedBox(box(), -right / box().width, -down / box().height));
  };
  return (
    <Card
      title="Program"
      description="The best program of the run; drag to move, wheel or + and − to zoom, Fit shows all"
      controls={
        <>
          <Button size="small" pressed={hasRules()} onClick={() => setRules(!hasRules())}>
            Grammar rules
          </Button>
          <Button size="small" aria-label="Zoom in" onClick={() => zoom(1.25)}>
            +
          </Button>
          <Button size="small" aria-label="Zoom out" onClick={() => zoom(0.8)}>
            −
          </Button>
          <Button size="small" onClick={fit}>
            Fit
          </Button>
        </>
      }
    >
      <svg
        ref={(node) => node.addEventListener('wheel', onWheel, { passive: false })}
        class="tree-picture"
        viewBox={`${box().x} ${box().y} ${box().width} ${box().height}`}
        role="application"
        aria-label="Program as a tree"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
      >
        <For each={nodes()}>
          {(node) => <Edge node={node} parent={nodes()[node.parent ?? -1]} />}
        </For>
        <For each={nodes()}>{(node) => <Node node={node} />}</For>
      </svg>
    </Card>
  );
}

function Edge(props: { node: DrawnNode; parent: DrawnNode | undefined }): JSX.Element {
  const path = (): string => {
    if (!props.parent) return '';
    const [from, to] = [props.parent, props.node];
    const middle = (from.y + to.y) / 2;
    return `M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
  };
  return <path class="tree-edge" d={path()} />;
}

function Node(props: { node: DrawnNode }): JSX.Element {
  const width = (): number => getWidth(props.node);
  const label = (): string =>
    props.node.label.length > 9 ? `${getTextStart(props.node.label, 8)}…` : props.node.label;
  return (
    <g
      class={`tree-node tree-${props.node.kind}`}
      transform={`translate(${props.node.x} ${props.node.y})`}
    >
      <title>{`${props.node.label} (${props.node.title})`}</title>
      <rect x={-width() / 2} y={-nodeHeight / 2} width={width()} height={nodeHeight} rx={6} />
      <text dy="0.35em">{label()}</text>
    </g>
  );
}
