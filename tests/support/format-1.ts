/**
 * A database in stored form 1, as version 0.1.0 wrote it: run-T104 at version 1, its base and two commits. Forms that
 * come later must go on reading it; it is never made anew.
 */
import { gunzipSync } from 'node:zlib';
import type { StoredImage } from '../../src/storage/stored-records.ts';

interface Plain {
  readonly base: unknown;
  readonly pieces: readonly string[];
  readonly log: readonly (readonly [number, Record<string, unknown> & { readonly changes: string }])[];
}

export function storedInFormat1(): StoredImage {
  const text = gunzipSync(Buffer.from(compressed.join(''), 'base64')).toString();
  const { base, pieces, log } = JSON.parse(text) as Plain;
  const bytes = (encoded: string): Uint8Array => Uint8Array.from(Buffer.from(encoded, 'base64'));
  return {
    name: 'format-1',
    base,
    pieces: pieces.map((piece, key) => ({ key, value: bytes(piece) })),
    log: log.map(([key, record]) => ({ key, value: { ...record, changes: bytes(record.changes) } })),
    setAside: false,
  };
}

const compressed = [
  'H4sIAAAAAAACA+3cW3OiyhoG4P/C7UpVmpNKqtZFA4KYYALKcWouoFtQwcOKGg+r5r/vwiQTc5rJ7Mu936dKJmo31f311w2TSvOv',
  'kGfrsXD1r1As7+fZRrgSL4TpgmX3i2wzXS6EKyEjhHTaRV60lbbG8k6LF+O20uaS3GrLhdQWLoRyvBjfP5UnF8KUC1dCm4tiS2WK',
  'osmEZC2utRlTclnJOp2cSbIoXAirrBwPp8excKUQrfX43lhuF00r1AthNR2z8Vq4+ibIY6KoeVaIMmdFuyUK3y8ENhmzar2dC1dC',
  '0WplLVlUFcIIa8ui8OO8ciBabhb7tWOnD2wuTrhBj1SnlHpd6hm0pA2vOXToa92fhzM6/TM6NVrp2iN3f1F6q18Sam7I3W5HOuY/',
  'nht7xDQuuze3uy0xSnr9VzndG6zqXXoUAAAAAP6nGbrrKT1r745o0u9z25rmdrhOov46iZw7T+xbXuhbjuXrXrW3HHs/SaZ0aUxp',
  '6RhPL7uunG59G3bDnh86ZWD1+6PAGkZD/cYPq9IjE8sj6/K6KWeS0h1W69f195Ok1lapoQd+OAmcrnoXGvptGOzdG7p8KWfoYj73',
  'H2JJneRRUIbdMAmN3fXL97TkkVrlonbgkXo8a9NZmblhebuedXBnNBnsn/rblC9SOyRJVK+Z3BfzWqvS2J9k0f5oBoOhH1iBP9QD',
  'L+i7/lB/Xf7wJh69U/2X/lj6cBiIelBX5ZCE6Zs+ybncv0/n+wd++G3/X8qKmpTG/WMWadvz2I8qrakfjrq7NzFOV/mc12yhH7JI',
  'JY7lW5HlfV6+m94FVdj3iXJqs2NMTn3OIm/lWH3Lr8KhH6imH7plEvE6X/gFW4Rbdngpd3a+1cAjtkWqGfX0VT7363FvsM/tmqSh',
  'NuGx/5BFapXGk9M5YsmvuW2t8t6gcOM3Y7G0ZKNk8c2Q6OXBIk2eplE4T+fhjFvahM25mEfhlvcGdTpP60T2iyTuL3gkNm08GuTd',
  'WH5YzjHKV3mVRX6dx/oDt8NtItdFJoXqcwzf5PubuFuHVA43aaQSJmrLJB4s/4vYr1I73DBbI2mkzsahdp/G1btx4Lb2kFvac3+O',
  'zXxLI3GXy36dzwdqLG3q8bA661d1aeySODgQndr1NrVDhcnWuvk/ayxZIre1x7F6OeerGMVH68PPzR5z9D1bXXu2fh37k2S+r3/m',
  'iBQemVQ/5IvBJJXCLbe0YxoPTnnMdrUZVKEedpu5bRmjblC+r+eW1z3+wOabmk0/mV+GvuWROE1jpxwGauAH3Aqm+u1I9MpRHboj',
  'o2obXhKPDtXv+v2+jWJn/0GbrrOS9axD54EmXfNpTTkm0qTOI6vIo3rB5hY51ZcHs8wON0mobbKIH5LYX+WSejS67/Ly4/oHuswX',
  '4SaZh4dfrLmrcuha+p7Vfc82jKcxeJsfb9/r1bs2kFzS1rH0NL96bnn9tB79+Xx4Ptf52n0+Jk/reK9fMzlcc0v7h0na9oO5cn09',
  'YrY+4Td9r0uf1o0ji/YrbodFEocklx7HNJb9h1zaF2mUztNoQJqxe9dnpV/THYv7w0CfeOLTemItmvkaS6F0mrfSm/c7/9M8TeP0',
  '9frx9lrwwdrOpHDPo3CbSMEn+focm0HN5MEql5TP42c/tjGWfZXZv4izbc24XT/k08/b9Xx9+3y90mdsHk64HVaxZJFYDknyi2vY',
  '2/uC65+x2Z3HYPVc3q+0oR/UvdH0bfmqDKrQ9sO+NaoGVnDQn+fp6bp/Vq7Jle6XcuXtGJ/N8+cx1RNrRj0WO8OuXu6t17nS3DO8',
  'rGmndtD38+nV95/myCf3C9yuZ5kUkliqq1+MyZHbFuGx+4uxV+txzy+SaHBaU57O9XNMc0klaTwhsbQ6/jLXemnNFo/5+GHe0uXK',
  '3Tm2Rdjkd9f9V/cQ52ts837nNjeqzuP9KqEf/XIUAAAAAAAAAAAAAD50fTrqCAQAAAAAAAAAAADAV5iPe+mxox4AAAAAAAAAAADg',
  'S5anI/b/AwAAAAAAAAAAAHzJ4HTE/n8AAAAAAAAAAACALzHK0z/Y/w8AAAAAAAAAAADwJaQ56ObljjYvAAAAAAAAAAAAAPiMo9MS',
  '+/8BAAAAAAAAAAAA/gT2/wMAAAAAAAAAAAD8idP+f9pFIAAAAAAAAAAAAAC+4vp0xP5/AAAAAAAAAAAAgC8xH3f+Y/8/AAAAAAAA',
  'AAAAwJcsT0fs/wcAAAAAAAAAAAD4ksHp6F2mlDYvAAAAAAAAAAAAgP8ffa9r0S6h1HaUwdGfDaK0diV/5o4ceTBypNvRYO7O0unt',
  'qDq6M0rcoz4Tvl8I9bIUrr59Ey/+FaZcuBK0gnOZFzxvt1oKz3ghj1kujnOujguRk0y4EFbZ/XixEa6ENhfFlsoURZMJyVpcazOm',
  '5LKSdTo5k2TxVLYcG8ttU1xULwQ2yRbleC1cCaenDujr5ukDxulnq/P4c0lPjyTQS6qbLYWaLcVoPrkvtSG1qK7vSWgfam7EfTGf',
  'ioE7oiQ0u7tBry/mc3WVz/k6l7R7HusFW4TbZK49ZPJ6yu16lkkhiaW6cmbL6amO4aydhX7IIu2Qxb7afM7j/iKNVOIsiEkfHzlr',
  'U9q90yi906jbPDWBmLsdNXbuqzY8Ppr2ud0JNVvJ6U+AV6WWUavUDZ30ewf3wTmKBx4pm8c2D2omD1a5pGzc5ly1duS2deB2WCXS',
  'ftJ8ly7qgvX6q1zur3ivJlk0uE9jrzzVN52dOws2rtnduKYVuCZtPb22rkl3URnQxz9FTprfnR8pvTzqTazv3DvTo66uk/55H4Rm',
  'gMasWm/nwpVA2h2RyR2VqJoqyWou/Ph+8U16zhM+VvKx2JHGRa5IWcYLSRKLTNJasjhutVT5PE++lFO/zxPzLE/M53gblBomKZt4',
  '3w0fCzumqNCYOk7P6xY3w05xd9ZHujiLeTRYptHgntnaKl/4BZMsKY38WW5bRybV83Go7di8fmDzmozjtGaLU73SHX0W9+6buJeU',
  'lpdVE3fzL89qPlRp545SpdvzunqTnzeht3dNz6Dl33+/jv84E3meFzJXFbGjkEL48f37j/8AyKiFW5ZEAQA=',
];
