/**
 * Owns: the check of a call's arguments by a JSON Schema (draft 2020-12).
 * Leaves: validating to @cfworker/json-schema, which needs no eval, so that a strict policy of the page holds; a
 * validator of another make to `standardCheck` in tool.ts.
 */
import { Validator, type Schema } from '@cfworker/json-schema';
import type { OutsideTool } from './tool.ts';

/** A `check` that tells the first places that do not fit: `/priority: does not match any of ["normal","urgent"]`. */
export function jsonSchemaCheck(schema: Schema): OutsideTool['check'] {
  const validator = new Validator(schema, '2020-12', false);
  return (toolArguments) => {
    const { valid, errors } = validator.validate(toolArguments);
    if (valid) return null;
    // An error of a part comes with one for each thing around it: the parts say more.
    const parts = errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items');
    return parts
      .map(({ instanceLocation, error }) => `${instanceLocation.replace('#', '')}: ${error}`)
      .join(' ');
  };
}
