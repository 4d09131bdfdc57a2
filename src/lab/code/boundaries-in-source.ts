/**
 * Owns: finding in the engine's own source which lines announce a boundary, and which boundaries these are: a line
 * says `crash.reach(…)`, or hands a boundary's name on to a function that does.
 * Leaves: which boundaries were reached to the engine; showing the lines to CodePane.svelte.
 *
 * A name is put together from parts: `${boundary}.updated`. A part that is a parameter is looked up where the function
 * is called, a constant where it is declared; whatever is left may be any text.
 */
import type { SourceFile } from '../../bridge/engine-sources.ts';
import {
  childrenOf,
  functionAround,
  isFunction,
  keyOf,
  readAll,
  type Call,
  type Declared,
  type Node,
  type Place,
  type Tree,
} from './source-tree.ts';

export interface Announcement {
  readonly path: string;
  /** Offsets in the file: the call, as far as its boundary's name. */
  readonly from: number;
  readonly to: number;
  /** `reach`: it announces; `hands-on`: a function that it calls does. */
  readonly kind: 'reach' | 'hands-on';
  readonly matches: RegExp;
  /** The function that it stands in. */
  readonly around: { readonly from: number; readonly to: number } | null;
}

/** Every line of these files that announces a boundary, or hands one on. */
export function announcementsIn(
  files: readonly (Pick<SourceFile, 'path' | 'text'> & { readonly tree: Tree })[],
): readonly Announcement[] {
  const { calls, functions } = readAll(files);
  /** Patterns of parameters that were looked up before. */
  const known = new Map<string, readonly string[]>();

  /** What the expression may be, as sources of patterns; none: nothing that a boundary's name could be. */
  function patternsOf(node: Node, { path, text }: Place, seen: readonly string[] = []): readonly string[] {
    switch (node.name) {
      case 'String':
        return [escaped(text.slice(node.from + 1, node.to - 1))];
      case 'TemplateString':
        return templateOf(node, { path, text }, seen);
      case 'ConditionalExpression':
        return childrenOf(node)
          .slice(1)
          .flatMap((child) => patternsOf(child, { path, text }, seen));
      case 'VariableName':
        return variableOf(node, { path, text }, seen);
      default:
        return [];
    }
  }
  function templateOf(node: Node, place: Place, seen: readonly string[]): readonly string[] {
    let found: string[] = [''];
    let from = node.from + 1;
    const append = (parts: readonly string[]): void => {
      found = [...new Set(found.flatMap((start) => parts.map((part) => start + part)))];
    };
    for (const part of childrenOf(node)) {
      append([escaped(place.text.slice(from, part.from))]);
      const inner = childrenOf(part).find(({ name }) => !name.startsWith('Interpolation'));
      const patterns = inner === undefined ? [] : patternsOf(inner, place, seen);
      append(patterns.length > 0 ? patterns : ['.+']);
      from = part.to;
    }
    append([escaped(place.text.slice(from, node.to - 1))]);
    return found;
  }
  function variableOf(node: Node, place: Place, seen: readonly string[]): readonly string[] {
    const { text } = place;
    const name = text.slice(node.from, node.to);
    for (let scope = node.parent; scope !== null; scope = scope.parent) {
      if (scope.name === 'Block') {
        for (const declaration of scope.getChildren('VariableDeclaration')) {
          const [defined, value] = [declaration.getChild('VariableDefinition'), declaration.lastChild];
          if (defined === null || text.slice(defined.from, defined.to) !== name) continue;
          const expression = value?.name === ';' ? value.prevSibling : value;
          return expression === null ? [] : patternsOf(expression, place, seen);
        }
      }
      if (isFunction(scope)) {
        const declared = functions.get(keyOf(place.path, scope));
        const index = declared?.parameters.indexOf(name) ?? -1;
        return declared === undefined || index < 0 ? [] : parameterOf(declared.name, index, seen);
      }
    }
    return [];
  }
  function parameterOf(name: string, index: number, seen: readonly string[]): readonly string[] {
    const key = `${name} ${String(index)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (seen.includes(key)) return [];
    const given = calls
      .filter((call) => call.name === name)
      .flatMap((call) => {
        const argument = call.arguments[index];
        return argument === undefined ? [] : patternsOf(argument, call, [...seen, key]);
      })
      .filter((pattern) => /[a-z]/.test(pattern));
    known.set(key, [...new Set(given)]);
    return known.get(key) ?? [];
  }

  const announced = announcedBy(calls, functions);
  return calls.flatMap((call): Announcement[] => {
    const { path, node } = call;
    const isReach = call.name === 'reach';
    const ends = isReach ? new Map([[0, new Set([''])]]) : announced.get(call.name);
    return [...(ends ?? [])].flatMap(([index, endings]) => {
      const argument = call.arguments[index];
      const patterns = argument === undefined ? [] : patternsOf(argument, call);
      if (argument === undefined || patterns.length === 0) return [];
      return [
        {
          path,
          from: node.from,
          to: argument.to,
          kind: isReach ? 'reach' : 'hands-on',
          matches: new RegExp(`^(?:${patterns.join('|')})(?:${[...endings].join('|')})$`),
          around: functionAround(node),
        },
      ];
    });
  });
}

/** By function, and its parameter that is the beginning of boundaries' names: what the function, or what it calls, puts after it. */
function announcedBy(
  calls: readonly Call[],
  functions: ReadonlyMap<string, Declared>,
): ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>> {
  const found = new Map<string, Map<number, Set<string>>>();
  const add = (name: string, index: number, ending: string): boolean => {
    const byIndex = found.get(name) ?? new Map<number, Set<string>>();
    const endings = byIndex.get(index) ?? new Set<string>();
    const isNew = !endings.has(ending);
    found.set(name, byIndex.set(index, endings.add(ending)));
    return isNew;
  };
  for (let news = true; news;) {
    news = false;
    for (const call of calls) {
      const around = functionAround(call.node);
      const declared = around === null ? undefined : functions.get(keyOf(call.path, around));
      const inner = call.name === 'reach' ? new Map([[0, new Set([''])]]) : found.get(call.name);
      if (declared === undefined || inner === undefined) continue;
      for (const [index, endings] of [...inner]) {
        const argument = call.arguments[index];
        const text = argument === undefined ? '' : call.text.slice(argument.from, argument.to);
        const [, name = '', rest = ''] = /^(\w+)$/.exec(text) ?? /^`\$\{(\w+)\}([\w.]*)`$/.exec(text) ?? [];
        const parameter = declared.parameters.indexOf(name);
        if (parameter < 0) continue;
        for (const ending of [...endings])
          news = add(declared.name, parameter, escaped(rest) + ending) || news;
      }
    }
  }
  return found;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
