/**
 * Owns: reading a source's tree: its calls with their arguments, its functions with their parameters.
 * Leaves: what they say of boundaries to boundaries-in-source.ts.
 */
import { parser } from '@lezer/javascript';

const typescript = parser.configure({ dialect: 'ts' });

export type Tree = ReturnType<typeof typescript.parse>;
export type Node = Tree['topNode'];

export function parse(text: string): Tree {
  return typescript.parse(text);
}

export interface Place {
  readonly path: string;
  readonly text: string;
}
export interface Call extends Place {
  readonly node: Node;
  readonly name: string;
  readonly arguments: readonly Node[];
}
export interface Declared extends Place {
  readonly name: string;
  readonly node: Node;
  readonly parameters: readonly string[];
}

export function readAll(files: readonly (Place & { readonly tree: Tree })[]): {
  readonly calls: readonly Call[];
  /** By where they stand. */
  readonly functions: ReadonlyMap<string, Declared>;
} {
  const calls: Call[] = [];
  const functions = new Map<string, Declared>();
  for (const { path, text, tree } of files) {
    tree.iterate({
      enter: ({ node }) => {
        if (node.name === 'CallExpression') {
          const [callee, list] = [node.firstChild, node.getChild('ArgList')];
          if (callee === null || list === null) return;
          calls.push({ path, text, node, name: lastName(callee, text), arguments: partsOf(list) });
        } else if (isFunction(node)) {
          const named =
            node.getChild('VariableDefinition') ??
            node.getChild('PropertyDefinition') ??
            node.getChild('PrivatePropertyDefinition');
          const list = node.getChild('ParamList');
          if (named === null || list === null) return;
          const name = text.slice(named.from, named.to);
          const parameters = partsOf(list).map((part) => text.slice(part.from, part.to));
          functions.set(keyOf(path, node), { path, text, name, node, parameters });
        }
      },
    });
  }
  return { calls, functions };
}

export function keyOf(path: string, node: Node): string {
  return `${path} ${String(node.from)}`;
}

export function isFunction(node: Node): boolean {
  return node.name === 'FunctionDeclaration' || node.name === 'MethodDeclaration';
}

export function functionAround(node: Node): Node | null {
  let around: Node | null = node.parent;
  while (around !== null && !isFunction(around)) around = around.parent;
  return around;
}

export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** The first node of each of the parts between the commas. */
function partsOf(list: Node): readonly Node[] {
  const parts: Node[] = [];
  let begins = true;
  for (const child of childrenOf(list)) {
    if (child.name === ',') begins = true;
    else if (begins && child.name !== '(' && child.name !== ')') {
      parts.push(child);
      begins = false;
    }
  }
  return parts;
}

/** `commit` of `engine.database.commit<Run>`. */
function lastName(callee: Node, text: string): string {
  return /([#\w]+)\s*(?:<[^(]*>)?\s*$/.exec(text.slice(callee.from, callee.to))?.[1] ?? '';
}
