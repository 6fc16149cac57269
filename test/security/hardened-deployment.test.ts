import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'

const unit = 'deploy/sepia.service'
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
/** Tenths of the points of systemd-analyze's scale, on which 100 is no protection at all. */
const mostExposed = '25'

suite('hardened deployment', () => {
  test('systemd rates the unit as well protected', { skip: !hasSystemd && 'systemd-analyze is not installed' }, () => {
    const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', `--threshold=${mostExposed}`, unit], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout.split('\n').at(-2))
  })

  test('the unit allows engines to start without a network', () => {
    const text = readFileSync(unit, 'utf8')
    assert.match(text, /^RestrictNamespaces=user net$/m)
    assert.match(text, /^SystemCallFilter=@system-service$/m)
  })

  test('the container writes only to its volume and gains no privileges', () => {
    const compose = readFileSync('deploy/compose.yaml', 'utf8')
    for (const line of ['read_only: true', 'no-new-privileges:true', 'pids_limit: 512']) assert.ok(compose.includes(line), line)
    assert.match(compose, /cap_drop:\n\s+- ALL/)
    assert.match(readFileSync('deploy/Dockerfile', 'utf8'), /^USER node$/m)
  })
})
