import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const rules = await readFile('deploy/prometheus/alerts.yml', 'utf8')
const alerts = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name = '']) => name)

test('every alert fires at its time and not before, with a readable summary', (context) => {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml'], {
    encoding: 'utf8',
  })
  if (error !== undefined) return context.skip('promtool is not installed; it comes with Debian’s package prometheus')
  assert.equal(status, 0, stdout + stderr)
})

test('every alert has a case that makes it fire, a runbook and a link to it', async () => {
  const cases = await readFile('deploy/prometheus/alerts.test.yml', 'utf8')
  const runbooks = await readFile('docs/runbooks.md', 'utf8')
  assert.ok(alerts.length > 0)
  for (const name of alerts) {
    assert.match(cases, new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- exp_labels`), `${name} is never made to fire`)
    assert.match(rules, new RegExp(`runbook: docs/runbooks\\.md#${name.toLowerCase()}\\n`), `${name} names no runbook`)
    assert.match(runbooks, new RegExp(`^## ${name}\\n\\n.+\\n\\n.+$`, 'm'), `${name} has no runbook`)
  }
  assert.deepEqual(
    Array.from(runbooks.matchAll(/^## (\w+)$/gm), ([, name]) => name),
    alerts,
  )
})
