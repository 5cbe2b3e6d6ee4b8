// What of a text has to be replaced so that it becomes another one: whole lines, and of those that were only changed each
// run by itself, so that an editor draws no line again that stays as it was.

export interface Change {
  // Line and column of what is replaced, in the text before all changes.
  from: [number, number];
  to: [number, number];
  put: string;
}

export function changes(before: readonly string[], after: readonly string[]): Change[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [end, endAfter] = [before.length - tail, after.length - tail];
  if (head === end && head === endAfter) return [];
  if (end !== endAfter) return [lines(before, head, end, after.slice(head, endAfter))];
  const out: Change[] = [];
  for (let line = head; line < end; line++) {
    const start = line;
    while (line < end && before[line] !== after[line]) line++;
    if (line > start) out.push(lines(before, start, line, after.slice(start, line)));
  }
  return out;
}

// Lines [start, end) become these. What is put in or taken out goes with the break that ends it, and at the end of the
// text with the one before it.
function lines(before: readonly string[], start: number, end: number, put: readonly string[]): Change {
  if (end < before.length) return { from: [start, 0], to: [end, 0], put: put.map((line) => line + '\n').join('') };
  const to: [number, number] = [before.length - 1, before[before.length - 1].length];
  if (start === 0) return { from: [0, 0], to, put: put.join('\n') };
  return { from: [start - 1, before[start - 1].length], to, put: put.map((line) => '\n' + line).join('') };
}
