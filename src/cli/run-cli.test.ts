import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCommandLine as run } from '../../test/support/run-command-line.ts'

describe('the command line', () => {
  it('explains itself without arguments', async () => {
    const { code, out } = await run([])
    assert.equal(code, 0)
    assert.match(out, /sepia serve/)
    assert.match(out, /token create --name <text>/)
  })

  it('explains every command it has, whatever the settings hold', async () => {
    const { out } = await run(['--json'])
    const { commands }: { commands: readonly { command: string; summary: string }[] } = JSON.parse(out)
    for (const { command, summary } of commands) {
      const help = await run([...command.split(' '), '--help'], { environment: { SEPIA_PORT: 'broken' } })
      assert.equal(help.code, 0)
      assert.ok(help.out.replaceAll('\n', ' ').startsWith(summary), command)
      assert.match(help.out, /--config/)
      assert.doesNotMatch(help.out, /:\n\s*$/, `${command} ends with a heading over nothing`)
    }
  })

  it('lists the commands of a group with --help', async () => {
    for (const [word, commands] of [
      ['token', ['create', 'list', 'limit', 'revoke']],
      ['account', ['create', 'list', 'delete', 'disable', 'enable', 'limit', 'log', 'link', 'second-factor']],
      ['model', ['list', 'load', 'unload', 'pull', 'import', 'search', 'suggestions', 'remove']],
    ] as const) {
      const { code, out } = await run([word, '--help'])
      assert.equal(code, 0)
      assert.deepEqual(
        [...out.matchAll(new RegExp(`^  ${word} ([\\w-]+)`, 'gm'))].map(([, name]) => name),
        [...commands],
      )
      assert.equal((await run(['help', word])).out, out)
    }
    assert.equal((await run(['tokn', '--help'])).code, 2)
  })

  it('keeps its help within 80 columns', async () => {
    const { out } = await run(['--json'])
    const { commands }: { commands: readonly { command: string }[] } = JSON.parse(out)
    for (const words of ['', 'token', ...commands.map(({ command }) => command)]) {
      const help = await run([...words.split(' ').filter((word) => word !== ''), '--help'])
      assert.deepEqual(
        help.out.split('\n').filter((line) => line.length > 80),
        [],
        words,
      )
    }
  })

  it('explains a command with --help', async () => {
    assert.equal((await run(['help', 'token', 'create'])).out, (await run(['token', 'create', '--help'])).out)
    assert.equal((await run(['help'])).out, (await run([])).out)
  })

  it('prints its version with the long flag and the short one', async () => {
    for (const flag of ['--version', '-v']) assert.deepEqual(await run([flag]).then(({ code, out }) => [code, out]), [0, '1.2.3\n'])
    assert.equal((await run(['serve', '-v'])).out, '1.2.3\n')
  })

  it('lists every setting in the help of serve', async () => {
    const { out } = await run(['serve', '-h'])
    assert.match(out, /--port <number>\s+Port to listen on; 0 for any free one\. \[8080\]/)
    assert.match(out, /--wide-penalties\[=off\]/)
  })

  it('serves with the settings of its flags', async () => {
    assert.deepEqual((await run(['serve', '--port', '9000'])).done, ['served 9000'])
    assert.deepEqual((await run(['serve', '--port=0', '--wide-penalties=off'])).done, ['served 0'])
  })

  it('accepts the value of a switch after a space or an equals sign; without one it is on', async () => {
    const shown = async (...flags: string[]) => {
      const { code, out } = await run(['config', ...flags])
      assert.equal(code, 0, flags.join(' '))
      return /^wide-penalties +(\w+)/m.exec(out)?.[1]
    }
    for (const word of ['off', 'false', '0']) assert.equal(await shown('--wide-penalties', word), 'off')
    for (const flags of [['--wide-penalties'], ['--wide-penalties', 'on'], ['--wide-penalties=on'], ['--wide-penalties', '--port', '0']])
      assert.equal(await shown(...flags), 'on')
    assert.match((await run(['config', '--wide-penalties', 'maybe'])).err, /^maybe: sepia config takes no such argument/)
    assert.deepEqual((await run(['serve', '--port', '0', '--wide-penalties', 'off', '--webhook-private-targets', 'on'])).done, ['served 0'])
  })

  it('names the nearest right command', async () => {
    assert.equal((await run(['sevre'])).err, 'sepia sevre: there is no such command. Did you mean serve? See sepia --help.\n')
    assert.equal(
      (await run(['token', 'crate'])).err,
      'sepia token crate: there is no such command. Did you mean token create? See sepia --help.\n',
    )
    for (const [words, meant] of [
      [['serv', '--port', '0'], 'serve'],
      [['token', 'crate', 'mine'], 'token create'],
      [['models'], 'model'],
      [['pull', 'llama3'], 'model pull'],
      [['revoke'], 'token revoke'],
      [['list'], 'request list, token list, account list or model list'],
      [['start'], 'serve'],
      [['ps'], 'status'],
      [['rm', 'llama3'], 'model remove'],
      [['model', 'rm', 'llama3'], 'model remove'],
      [['model', 'add', '/models/chat.gguf'], 'model pull'],
      [['account', 'add'], 'account create'],
      [['token', 'delete', 't1'], 'token revoke'],
    ] as const)
      assert.match((await run(words)).err, new RegExp(`there is no such command\\. Did you mean ${meant}\\?`), words.join(' '))
    assert.match(
      (await run(['model', 'quantize', 'llama3'])).err,
      /^sepia model quantize llama3: needs one of: model list, .*model remove\.\n$/,
    )
    for (const word of ['gibberish', 'constructor'])
      assert.equal((await run([word])).err, `sepia ${word}: there is no such command. See sepia --help.\n`)
    const { code, err } = await run(['--port', '9000'])
    assert.deepEqual([code, err], [2, '--port: needs a command, such as serve. See sepia --help.\n'])
    const family = await run(['token'])
    assert.equal(family.err, 'sepia token: needs one of: token create, token list, token limit, token revoke.\n')
    assert.equal(family.code, 2)
  })

  it('reports wrong flags and wrong settings together, with the nearest right ones', async () => {
    const { code, out, err } = await run(['serve', '--prot', '9000', '--grace'], { environment: { SEPIA_LOGS: 'json' } })
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.deepEqual(err.trimEnd().split('\n'), [
      '--prot: there is no such flag. Did you mean --port?',
      '--grace: expected <duration> after it.',
      'SEPIA_LOGS: there is no such variable. Did you mean SEPIA_LOG?',
    ])
  })

  it('rejects a malformed proxy address under the name of its variable, without repeating a password', async () => {
    for (const variable of ['HTTPS_PROXY', 'http_proxy']) {
      const { code, out, err, done } = await run(['serve'], { environment: { [variable]: 'socks5://me:s3cr3t@proxy:1080' } })
      assert.deepEqual([code, out, done], [2, '', []])
      assert.match(err, new RegExp(`^${variable}: expected the address of an HTTP proxy`))
      assert.doesNotMatch(err, /s3cr3t/)
    }
  })

  it('reports other start faults together with invalid flags and settings', async () => {
    const { code, err } = await run(['serve', '--prot=9000', '--port', 'x', '--models', '/a'])
    assert.equal(code, 2)
    assert.deepEqual(err.trimEnd().split('\n'), [
      '--prot: there is no such flag. Did you mean --port?',
      '--port: expected a whole number from 0 to 65535, got "x".',
      '/a: is not there.',
    ])
    assert.doesNotMatch((await run(['token', 'list', '--port', 'x', '--models', '/a'])).err, /not there/)
  })

  it('reports missing and superfluous flags and arguments', async () => {
    assert.match((await run(['token', 'create'])).err, /^--name: is missing; add --name <text>\.$/m)
    assert.match((await run(['token', 'create', '--name'])).err, /^--name: expected <text> after it\.$/m)
    assert.equal(
      (await run(['account', 'link'])).err,
      'sepia account link: expected <id>.\nUsage: sepia account link <id> [flags]\n<id>: The id that sepia account list shows.\n',
    )
    assert.match((await run(['serve', 'now'])).err, /^now: sepia serve takes no such argument\.$/m)
    assert.equal((await run(['--prot', '80'])).err, '--prot: there is no such flag. Did you mean --port?\n')
    assert.match((await run(['drow', '--seed', '7'])).err, /^sepia drow: there is no such command/)
    assert.match((await run(['token', 'list', '--name', 'x'])).err, /^--name: there is no such flag\./m)
  })

  it('has no JSON result for a command that runs until it is stopped', async () => {
    const { code, done } = await run(['serve', '--json'])
    assert.equal(code, 2)
    assert.deepEqual(done, [])
  })

  it('prints a new token alone, or as one JSON object', async () => {
    const plain = await run(['token', 'create', '--name', 'ci', '--scopes', 'read,text', '--expires', '30d'])
    assert.equal(plain.out, 'sepia_secret\n')
    assert.equal(plain.err, '')
    assert.deepEqual(plain.done, ['token {"accountId":null,"name":"ci","scopes":["text","read"],"lifetimeMs":2592000000}', 'closed'])
    const { out } = await run(['token', 'create', '--name', 'ci', '--json'])
    assert.equal(JSON.parse(out).token, 'sepia_secret')
  })

  it('rejects unknown scopes and lifetimes before it opens the store', async () => {
    const scopes = await run(['token', 'create', '--name', 'ci', '--scopes', 'all'])
    assert.equal(scopes.err, '--scopes: there is no scope all; choose from text, image, read.\n')
    const expires = await run(['token', 'create', '--name', 'ci', '--expires', 'soon'])
    assert.equal(expires.code, 2)
    assert.deepEqual([...scopes.done, ...expires.done], [])
  })

  it('destroys a data folder only with a yes', async () => {
    const silent = await run(['restore', import.meta.filename])
    assert.equal(silent.code, 2)
    assert.match(silent.err, /Add --yes/)
    assert.deepEqual(silent.done, [])
  })

  it('asks for confirmation before revoking on a terminal, but not in a script', async () => {
    const script = await run(['token', 'revoke', 't1'])
    assert.equal(script.code, 0)
    assert.deepEqual(script.done, ['revoked t1', 'closed'])
    assert.deepEqual((await run(['token', 'revoke', 't1'], { answer: 'n' })).done, ['closed'])
    const answered = await run(['token', 'revoke', 't1'], { answer: 'y' })
    assert.deepEqual(answered.done, ['revoked t1', 'closed'])
    assert.equal(answered.questions.length, 1)
    assert.deepEqual((await run(['token', 'revoke', 't1', '--yes'])).done, ['revoked t1', 'closed'])
  })

  it('shows every setting with its source', async () => {
    const { out } = await run(['config'], { environment: { SEPIA_PORT: '81' } })
    assert.match(out, /^port +81 +SEPIA_PORT$/m)
    assert.match(out, /^host +127\.0\.0\.1 +default$/m)
  })

  it('shows the derived values of addresses that are not set', async () => {
    const shown = async (...flags: string[]) => {
      const { out } = await run(['config', '--json', ...flags])
      const { settings }: { settings: readonly { name: string; value: string; source: string }[] } = JSON.parse(out)
      return settings.filter(({ name }) => name.endsWith('-url') && !/^(database|s3|hub|node|otlp)/.test(name)).map(({ value }) => value)
    }
    assert.deepEqual(await shown(), Array(4).fill('http://127.0.0.1:8080'))
    const [image, everything] = ['http://images.example', 'https://sepia.example']
    assert.deepEqual(await shown('--public-url', everything, '--image-url', image), [everything, image, everything, everything])
    assert.deepEqual(await shown('--port', '0'), Array(4).fill(''))
    const { out } = await run(['config', '--port', '0'])
    assert.match(out, /^public-url +\(the listening address\) +default$/m)
    assert.match(out, /^database-url +\(a database inside data\) +default$/m)
  })

  it('prints failures as one JSON object with --json', async () => {
    const { code, out, err } = await run(['model', 'pull', 'https://models.example/m/model.json', '--json'])
    assert.equal(code, 1)
    assert.deepEqual(JSON.parse(out), { error: { message: 'The test does not offer this.' } })
    assert.equal(err, '')
  })

  it('exits with 1 when the doctor finds a fault', async () => {
    const findings = [{ subject: 'database', healthy: false, message: 'damaged' }]
    assert.equal((await run(['doctor'], { findings })).code, 1)
    assert.equal((await run(['doctor'], { findings: [] })).code, 0)
  })

  it('names itself as it is typed, in messages, help and hints', async () => {
    const inClone = async (...argv: string[]) => {
      const { out, err } = await run(argv, { program: './sepia', environment: { SEPIA_URL: 'http://127.0.0.1:9', SEPIA_TOKEN: 'x' } })
      return `${out}${err}`
    }
    assert.match(await inClone(), /^Usage: \.\/sepia <command> \[flags\]\n[\s\S]*^ {2}\.\/sepia serve\n[\s\S]*^\.\/sepia <command> --help/m)
    assert.match(await inClone('token', '--help'), /^\.\/sepia token <command> --help/m)
    assert.match(await inClone('token', 'revoke', '--help'), /^Usage: \.\/sepia token revoke <id>/m)
    assert.equal(await inClone('sevre'), './sepia sevre: there is no such command. Did you mean serve? See ./sepia --help.\n')
    assert.match(await inClone('token', 'revoke', 'none'), /see \.\/sepia token list\.$/m)
    assert.match(await inClone('chat', 'Hi'), /\.\/sepia login <url>\.$/m)
    assert.match(await inClone('model', 'list'), /with: \.\/sepia model pull <source>$/m)
    assert.match(await inClone('model', 'suggestions'), /with: \.\/sepia model pull <source>$/m)
    for (const argv of [[], ['model', 'suggestions'], ['account', 'create', '--name', 'x']])
      assert.doesNotMatch(await inClone(...argv), /(?<!\.\/)\bsepia [a-z<]/)
  })

  it('prints its version', async () => {
    assert.equal((await run(['--version'])).out, '1.2.3\n')
  })
})
