import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { checkExports } from './structure/check-exports.ts'
import { checkFile } from './structure/check-file.ts'
import { checkImports } from './structure/check-imports.ts'
import { checkTree } from './structure/check-tree.ts'
import { figures } from './structure/figures.ts'
import { checkSmallSources } from './structure/small-sources.ts'
import { isTest, type SourceFile } from './structure/source-file.ts'

const folders = ['src', 'test', 'bench', 'scripts']

/** Every source file that git tracks or would track. */
function listSources(): readonly SourceFile[] {
  return listPaths()
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('/fixtures/') && existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

function listPaths(): readonly string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (status === 0) return stdout.split('\n')
  console.log('note: This folder is not a git checkout, so the check covers every file, whether git would ignore it or not.')
  return globSync(`{${folders}}/**/*.{ts,tsx}`, { exclude: ['**/node_modules/**'] })
}

const sources = listSources()
if (process.argv.includes('--figures')) for (const line of figures(sources)) console.log(line)
const reports = sources.map(checkFile)
const notes = reports.flatMap((report) => report.notes)
const faults = [
  ...reports.flatMap((report) => report.faults),
  ...sources.filter(({ path }) => path.startsWith('src/')).flatMap((file) => checkImports(file)),
  ...sources.filter((source) => /^(?:src|scripts)\//.test(source.path) && !isTest(source)).flatMap(checkExports),
  ...checkTree(sources),
  ...checkSmallSources(sources),
]

for (const note of notes) console.log(`note: ${note}`)
for (const fault of faults) console.error(fault)
console.log(`${sources.length} files, ${faults.length} faults, ${notes.length} notes`)
if (faults.length > 0) process.exitCode = 1
