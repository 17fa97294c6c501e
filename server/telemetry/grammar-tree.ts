import type { GrammarTree, TreeNode } from '#shared/schemas/tree.ts';
import { toFinite, parseIndex, getList, toObject, parse, parseObject, toText } from './json.ts';

/**
 * Maximum depth of a program, and maximum number of its nodes. They limit the recursion. Programs of a grammar are
 * smaller.
 */
const maximumDepth = 500;
const maximumNodes = 50_000;

type StoredTree = Omit<GrammarTree, 'runId' | 'representationType'>;

/**
 * Returns the best program in the `artifacts_json` of a run. Null if there is no program, for example for a bit string.
 * Also null if the program is not a tree of rules and terminals, is too deep or has too many nodes. If the artifacts
 * have no infix text, or a blank one, the infix text is `bestSummary`. Other missing texts are empty. Omits invalid
 * choices of the decision vector. A value in `ercValues` is null if it is not a finite number.
 */
export function readGrammarTree(
  artifactsJson: string | null,
  bestSummary: string | null,
): StoredTree | null {
  const artifacts = parseObject(artifactsJson);
  const json = artifacts['bestAstJson'];
  const count = { nodes: 0 };
  const ast = parseNode(typeof json === 'string' ? parse(json) : json, 0, count);
  if (ast === null) return null;
  return {
    infix: toText(artifacts['bestExpressionInfix']).trim() || (bestSummary ?? ''),
    prefix: toText(artifacts['bestExpressionPrefix']),
    latex: toText(artifacts['bestExpressionLatex']),
    dot: toText(artifacts['bestExpressionDot']),
    ast,
    metrics: measureTree(ast),
    decisionVector: getList(artifacts['decisionVector'])
      .map(parseIndex)
      .filter((choice) => choice !== null),
    ercValues: getList(artifacts['ercValues']).map(toFinite),
    source: 'artifacts',
  };
}

/**
 * Returns a node with its children; null if the node or a descendant is invalid, or if the tree is too deep or too
 * large. `count.nodes` is the number of nodes so far.
 */
function parseNode(value: unknown, depth: number, count: { nodes: number }): TreeNode | null {
  const object = toObject(value);
  count.nodes += 1;
  if (depth > maximumDepth || count.nodes > maximumNodes) return null;
  const children = getList(object['children']).map((child) => parseNode(child, depth + 1, count));
  const validChildren = children.filter((child) => child !== null);
  const fields = getFields(object);
  if (fields === null || validChildren.length < children.length) return null;
  return { ...fields, depth, outputType: toText(object['outputType']), children: validChildren };
}

function getFields(
  object: Record<string, unknown>,
): Omit<TreeNode, 'depth' | 'outputType' | 'children'> | null {
  if (object['kind'] === 'rule') {
    const operator = object['operator'];
    return {
      kind: 'rule',
      nonTerminal: toText(object['nonTerminal']),
      ruleId: toText(object['ruleId']),
      operator: typeof operator === 'string' ? operator : null,
    };
  }
  if (object['kind'] !== 'terminal') return null;
  return {
    kind: 'terminal',
    symbol: toText(object['symbol']),
    terminalType: toText(object['terminalType']),
    ...('sampledValue' in object && { sampledValue: toFinite(object['sampledValue']) }),
  };
}

/**
 * Returns the depth of a tree, its numbers of nodes, and the number of uses of each operator. The depth of a single
 * node is 0.
 */
function measureTree(root: TreeNode): GrammarTree['metrics'] {
  const nodes = listNodes(root);
  const terminals = nodes.filter(({ kind }) => kind === 'terminal');
  const operators = nodes.flatMap(({ operator }) => operator ?? []).sort();
  const usage = Map.groupBy(operators, (operator) => operator);
  return {
    depth: nodes.reduce((maximum, { depth }) => Math.max(maximum, depth), 0),
    size: nodes.length,
    terminalCount: terminals.length,
    ruleCount: nodes.length - terminals.length,
    operatorUsage: Object.fromEntries(
      [...usage].map(([operator, uses]) => [operator, uses.length]),
    ),
  };
}

function listNodes(root: TreeNode): TreeNode[] {
  const nodes = [root];
  for (let index = 0; index < nodes.length; index++) nodes.push(...(nodes[index]?.children ?? []));
  return nodes;
}
