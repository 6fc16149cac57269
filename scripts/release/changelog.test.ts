import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { isLater, readReleases, releaseChanges } from './changelog.ts'

const changelog = readFileSync('CHANGELOG.md', 'utf8')
const released = readReleases(changelog).filter(({ version }) => version !== null)

describe('the releases', () => {
  it('agree: the version of the package is the newest of the changelog, and each left a data folder for the test of upgrades', () => {
    assert.equal(released[0]?.version, packageFile.version)
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    assert.deepEqual([lock.version, lock.packages[''].version], [packageFile.version, packageFile.version])
    const chart = readFileSync('deploy/helm/Chart.yaml', 'utf8')
    assert.deepEqual(
      Array.from(chart.matchAll(/^(?:version|appVersion): "?([\d.]+)"?$/gm), ([, version]) => version),
      [packageFile.version, packageFile.version],
    )
    const folders = readdirSync('test/fixtures/releases').flatMap((name) => /^(.+)\.tar\.gz$/.exec(name)?.[1] ?? [])
    assert.deepEqual(folders.toSorted(), released.map(({ version }) => version).toSorted())
  })

  it('are listed newest first, each with its date, with unreleased changes only at the top', () => {
    const all = readReleases(changelog)
    assert.ok(all.slice(1).every(({ version }) => version !== null))
    for (const [index, { version, date, text }] of released.entries()) {
      assert.ok(text !== '' && date !== null, `${version}`)
      const before = released[index + 1]
      if (before === undefined) continue
      assert.ok(isLater(version ?? '', before.version ?? '') && date >= (before.date ?? ''), `${version}`)
    }
  })

  it('consist of the unreleased changes', () => {
    const text = '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.9.0] - 2026-01-01\n\n- old\n'
    const made = releaseChanges(text, { version: '1.10.0', date: '2026-02-01' })
    assert.deepEqual(readReleases(made), [
      { version: '1.10.0', date: '2026-02-01', text: '- new' },
      { version: '1.9.0', date: '2026-01-01', text: '- old' },
    ])
    assert.throws(() => releaseChanges(made, { version: '1.11.0', date: '2026-03-01' }), /nothing to release/)
    assert.throws(() => readReleases('## 1.0.0 (soon)\n'), /write "## 1.0.0 \(soon\)" as/)
    assert.deepEqual([isLater('1.10.0', '1.9.9'), isLater('1.9.9', '1.10.0'), isLater('1.0.0', '1.0.0')], [true, false, false])
  })
})
