/**
 * Makes this tree a release: `npm run release -- <version>`. The version goes into package.json, the lock file and the Helm chart, what was unreleased gets it
 * in the changelog, and the data folder that it leaves behind goes to the test of upgrades. docs/releasing.md says what comes before and after.
 */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { isLater, readReleases, releaseChanges } from './changelog.ts'

const [version = ''] = process.argv.slice(2)
const changelog = await readFile('CHANGELOG.md', 'utf8')
const last = readReleases(changelog).find((release) => release.version !== null)?.version ?? '0.0.0'
if (!/^\d+\.\d+\.\d+$/.test(version) || !isLater(version, last)) throw new Error(`Name a version after ${last}: npm run release -- 1.2.3`)

await writeFile('CHANGELOG.md', releaseChanges(changelog, { version, date: new Date().toISOString().slice(0, 10) }))
const bump = ['version', version, '--no-git-tag-version', '--ignore-scripts']
execFileSync('npm', bump, { stdio: 'inherit' })
const chart = 'deploy/helm/Chart.yaml'
await writeFile(chart, (await readFile(chart, 'utf8')).replaceAll(/^(version: |appVersion: ")\d+\.\d+\.\d+/gm, `$1${version}`))
const archive = `test/fixtures/releases/${version}.tar.gz`
execFileSync(process.execPath, ['test/upgrade/make-data-folder.ts', archive], { stdio: 'inherit' })
const readme = 'test/fixtures/releases/README.md'
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const row = `| \`${version}.tar.gz\` | the release after commit \`${commit}\` on ${new Date().toISOString().slice(0, 10)} |\n`
const known = await readFile(readme, 'utf8')
await writeFile(
  readme,
  known.replace(/(\|---\|---\|\n(?:\|.*\n)*)/, (table) => `${table}${row}`),
)
console.log(
  `Look at the changes, then: git add --all && git commit -m "Release ${version}" && git tag -a v${version} -m "Sepia ${version}"`,
)
