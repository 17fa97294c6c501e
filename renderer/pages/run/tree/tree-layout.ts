import type { TreeNode } from '#shared/schemas/tree.ts';

/** A node with its position: `x` in widths of a leaf, `depth` in levels from the root. */
export interface PlacedNode {
  label: string;
  kind: 'operator' | 'rule' | 'terminal';
  /** Tooltip. */
  title: string;
  x: number;
  depth: number;
  /** Index of the parent; null for the root. */
  parent: number | null;
}

/** Returns a tree without unit productions (rules with a single child). */
export function simplify(node: TreeNode): TreeNode {
  const [only, ...others] = node.children;
  const isUnitProduction = node.kind === 'rule' && !node.operator && only && others.length === 0;
  return isUnitProduction ? simplify(only) : { ...node, children: node.children.map(simplify) };
}

/**
 * Returns nodes with positions, parents before children: leaves side by side in order, a parent centred over its first
 * and its last child.
 */
export function placeNodes(root: TreeNode): PlacedNode[] {
  const nodes: PlacedNode[] = [];
  let leaves = 0;
  const place = (node: TreeNode, depth: number, parent: number | null): number => {
    const index = nodes.push({ ...getWords(node), x: 0, depth, parent }) - 1;
    const xs = node.children.map((child) => place(child, depth + 1, index));
    const x = xs.length === 0 ? leaves++ : ((xs[0] ?? 0) + (xs.at(-1) ?? 0)) / 2;
    const own = nodes[index];
    if (own) own.x = x;
    return x;
  };
  place(root, 0, null);
  return nodes;
}

function getWords(node: TreeNode): Pick<PlacedNode, 'label' | 'kind' | 'title'> {
  const title = [node.nonTerminal ?? node.terminalType, node.ruleId, node.outputType]
    .filter(Boolean)
    .join(' · ');
  if (node.kind === 'terminal') {
    const { sampledValue, symbol } = node;
    if (sampledValue === null || sampledValue === undefined)
      return { label: symbol ?? '?', kind: 'terminal', title };
    const label = String(Number(sampledValue.toPrecision(5)));
    const full = Number(label) === sampledValue ? '' : String(sampledValue);
    return { label, kind: 'terminal', title: [full, title].filter(Boolean).join(' · ') };
  }
  if (node.operator) return { label: node.operator, kind: 'operator', title };
  return { label: node.nonTerminal ?? '?', kind: 'rule', title };
}
