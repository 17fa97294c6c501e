import * as z from 'zod';
import { nullableNumber } from './common.ts';
import { makeMaskedText, maskings } from './masked.ts';

/**
 * A node of a program. Only a rule has `nonTerminal`, `ruleId` and `operator`. Only a terminal has `symbol` and
 * `terminalType`. Only a terminal that is an ephemeral constant has `sampledValue`.
 */
export interface TreeNode {
  kind: 'rule' | 'terminal';
  depth: number;
  outputType: string;
  nonTerminal?: string | undefined;
  ruleId?: string | undefined;
  operator?: string | null | undefined;
  symbol?: string | undefined;
  terminalType?: string | undefined;
  sampledValue?: number | null | undefined;
  children: TreeNode[];
}

const treeNode: z.ZodType<TreeNode> = z
  .object({
    kind: z.enum(['rule', 'terminal']),
    depth: z.int().meta({ description: 'Depth of the node; 0 at the root' }),
    outputType: makeMaskedText('source'),
    nonTerminal: makeMaskedText('source').optional(),
    ruleId: makeMaskedText('source').optional(),
    operator: makeMaskedText('source')
      .nullable()
      .optional()
      .meta({ description: 'Operator of a rule; null if the rule only passes on its child' }),
    symbol: makeMaskedText('source').optional(),
    terminalType: makeMaskedText('source').optional(),
    sampledValue: nullableNumber.optional().meta({ description: 'Value of an ephemeral constant' }),
    get children() {
      return z.array(treeNode);
    },
  })
  .meta({ id: 'TreeNode' });

/** The best program of a grammar run in several notations, with its tree. */
export const grammarTree = z
  .object({
    runId: z.string(),
    representationType: z.string(),
    infix: z
      .string()
      .meta({
        description:
          'The program in infix notation. If the stored text is missing or blank, this is the stored summary of the best solution. Other notations without a stored text are empty',
      })
      .register(maskings, { method: 'source' }),
    prefix: makeMaskedText('source'),
    latex: makeMaskedText('source'),
    dot: makeMaskedText('source'),
    ast: treeNode,
    metrics: z
      .object({
        depth: z.int().meta({ description: 'Depth of the deepest node' }),
        size: z
          .int()
          .meta({ description: 'Number of nodes, including rules that only pass on their child' }),
        terminalCount: z.int(),
        ruleCount: z.int(),
        operatorUsage: z.record(z.string(), z.int()),
      })
      .meta({ description: 'Depth of `ast` and counts of its nodes' }),
    decisionVector: z.array(z.int()),
    ercValues: z.array(nullableNumber),
    source: z.enum(['artifacts']).meta({ description: 'Source of the tree' }),
  })
  .meta({ id: 'GrammarTree' });
export type GrammarTree = z.infer<typeof grammarTree>;
