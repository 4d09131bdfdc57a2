import Papa from 'papaparse';
import { expect, test } from 'vitest';
import type { Cell } from '../../src/bridge/console-answer.ts';
import { resultCsv, resultJson, resultMarkdown } from '../../src/bridge/console-export.ts';

const columns = ['name', 'name', '=x'];
const rows: Cell[][] = [
  ['=HYPERLINK("http://x")', null, { type: 'blob', bytes: 3 }],
  ['+1\n@cmd', 'NULL', { type: 'number', digits: '9007199254740993' }],
  ['a | b', -5, 0.5],
  ['<b>*x*</b>', '', { type: 'number', digits: '2.0' }],
];

test('the digits of a number below zero are no formula; what only begins like them is', () => {
  const digits = ['-9223372036854775808', '-2.0', '-1e+300'];
  const texts = ['-2+3', '-', '-2\n=1', '--2', '+2'];
  const cells: Cell[] = [...digits.map((one): Cell => ({ type: 'number', digits: one })), ...texts];
  const { data } = Papa.parse<string[]>(
    resultCsv({ columns: ['x'], rows: cells.map((cell) => [cell]) }).trimEnd(),
  );
  expect(data.slice(1).flat()).toEqual([...digits, ...texts.map((text) => `'${text}`)]);
});

test('no cell of the CSV is a formula, the heading’s included, and numbers stay numbers', () => {
  const csv = resultCsv({ columns, rows });
  const { data } = Papa.parse<string[]>(csv.trimEnd());
  expect(data).toEqual([
    ['name', 'name', "'=x"],
    [`'=HYPERLINK("http://x")`, '', '3 bytes'],
    ["'+1\n@cmd", 'NULL', '9007199254740993'],
    ['a | b', '-5', '0.5'],
    ['<b>*x*</b>', '', '2.0'],
  ]);
  expect(csv).toContain('\r\n');
});

test('JSON keeps both columns of one name, and NULL apart from a text', () => {
  expect(JSON.parse(resultJson({ columns, rows }))).toEqual({
    columns,
    rows: [
      ['=HYPERLINK("http://x")', null, '3 bytes'],
      ['+1\n@cmd', 'NULL', '9007199254740993'],
      ['a | b', -5, 0.5],
      ['<b>*x*</b>', '', '2.0'],
    ],
  });
});

test('Markdown is one line a row, whatever the cells hold', () => {
  expect(resultMarkdown({ columns, rows }).trimEnd().split('\n')).toEqual([
    '| name | name | =x |',
    '| --- | --- | --- |',
    '| =HYPERLINK("http://x") | *NULL* | 3 bytes |',
    '| +1<br>@cmd | NULL | 9007199254740993 |',
    '| a &#124; b | -5 | 0.5 |',
    '| &#60;b&#62;&#42;x&#42;&#60;/b&#62; |  | 2.0 |',
  ]);
});
