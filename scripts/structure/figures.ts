import { dirname } from 'node:path/posix'
import type { SourceFile } from './check-imports.ts'
import { findCircles } from './find-circles.ts'
import { findExports } from './find-exports.ts'

/** How large the parts of the project are, as lines of text. */
export function figures(sources: readonly SourceFile[]): readonly string[] {
  const code = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path))
  const tests = sources.filter(({ path }) => path.startsWith('test/') || (path.startsWith('src/') && isTest(path)))
  const lines = code.map(linesOf).toSorted((a, b) => a - b)
  const total = sum(lines)
  const testLines = sum(tests.map(linesOf))
  const exports = code.flatMap(({ text }) => findExports(text))
  const documented = exports.filter((each) => each.documented).length
  const folders = sourcesPerFolder(sources)
  return [
    `sources: ${code.length} files, ${total} lines; median ${quantile(lines, 0.5)}, 90 % ${quantile(lines, 0.9)}, longest ${lines.at(-1) ?? 0}`,
    `folders: ${folders.length}; most sources in one: ${folders
      .slice(0, 5)
      .map(([folder, count]) => `${folder} ${count}`)
      .join(', ')}`,
    `import circles: ${
      findCircles(code)
        .map((group) => group.join(' ↔ '))
        .join('; ') || 'none'
    }`,
    `exports: ${exports.length}, ${percent(documented, exports.length)} with a doc comment, ${exports.filter((each) => !each.typed).length} without a return type`,
    `tests: ${tests.length} files, ${testLines} lines; ${(testLines / Math.max(1, total)).toFixed(2)} lines per line of source`,
    ...perArea(code, tests),
  ]
}

/** Sources of each folder, tests beside them and files in folders below not counted, most first. */
export function sourcesPerFolder(sources: readonly SourceFile[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) if (!isTest(path)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

function perArea(code: readonly SourceFile[], tests: readonly SourceFile[]): readonly string[] {
  const areas = [...new Set(code.map(({ path }) => areaOf(path)))].toSorted()
  return areas.map((area) => {
    const own = sum(code.filter(({ path }) => areaOf(path) === area).map(linesOf))
    const beside = sum(tests.filter(({ path }) => areaOf(path) === area).map(linesOf))
    return `  ${area}: ${own} lines, tests beside them ${beside} (${(beside / Math.max(1, own)).toFixed(2)})`
  })
}

/** The folder below `src/`, two deep where runtimes, storage and the console have rooms of their own. */
function areaOf(path: string): string {
  const [, first = '', second = ''] = path.split('/')
  return ['runtimes', 'console', 'http', 'storage'].includes(first) && !second.includes('.') ? `src/${first}/${second}` : `src/${first}`
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path)
}

function linesOf({ text }: SourceFile): number {
  return text.split('\n').length - 1
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function percent(part: number, whole: number): string {
  return `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
