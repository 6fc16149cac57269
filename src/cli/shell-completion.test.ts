import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { runCommandLine as run } from '../../test/support/run-command-line.ts'

/** What bash offers after some words, with the script in force. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await run(['completion', 'bash'])
  const list = ['sepia', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${out}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _sepia; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout.split('\n').filter((line) => line !== '')
}

describe('shell completion', () => {
  it('completes commands, families and flags in bash', async () => {
    assert.deepEqual(await complete('cha'), ['chat'])
    assert.deepEqual(await complete('request', ''), ['list', 'show', 'wait', 'output', 'cancel'])
    assert.deepEqual(await complete('token', 'create', '--na'), ['--name'])
    assert.deepEqual(await complete('chat', '--model', 'x', '--sys'), ['--system'])
  })

  it('names every command and flag in every shell', async () => {
    const { out: json } = await run(['--json'])
    const { commands }: { commands: readonly { command: string }[] } = JSON.parse(json)
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, out } = await run(['completion', shell])
      assert.equal(code, 0)
      for (const { command } of commands) for (const word of command.split(' ')) assert.ok(out.includes(word), `${shell} ${word}`)
      assert.ok(out.includes('max-tokens'))
    }
    assert.match((await run(['completion', 'tcsh'])).err, /choose from bash, zsh, fish/)
  })
})

describe('the manual page', () => {
  it('names every command and its flags', async () => {
    const { out } = await run(['manual'])
    const { commands }: { commands: readonly { command: string }[] } = JSON.parse((await run(['--json'])).out)
    const plain = out.replaceAll('\\-', '-')
    for (const { command } of commands) assert.ok(plain.includes(`.SS sepia ${command}`), command)
    assert.match(plain, /^\.B --max-tokens <number>$/m)
  })

  it('version prints the same as --version', async () => {
    assert.equal((await run(['version'])).out, (await run(['--version'])).out)
  })
})
