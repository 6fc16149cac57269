import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseGuessable } from './password-rule.ts'

const person = { field: 'password', name: 'Ada Lovelace', email: 'ada.lovelace@example.org' }

test('easily guessed passwords are rejected', () => {
  for (const password of [
    '          ',
    'abc       ',
    'aaaaaaaaaaaa',
    'abababababab',
    '1234567890',
    'abcdefghijkl',
    'zyxwvutsrq',
    'ada.lovelace@example.org',
    'ADA.LOVELACE@example.org',
    'Ada Lovelace 1815',
    'adalovelace!',
    'Password2026!',
    'qwertyuiop',
    'pass-word-123',
    'passwordpassword',
    'password!password',
    'sepiasepia',
    '1234512345',
    'qwertyqwerty',
    'p@ssw0rd123',
    'P455w0rd!!2026',
    '1q2w3e4r5t',
    'basketball',
    'M4nchester-2024',
    'abcde abcde abcde',
    'AdaLovelaceAdaLovelace',
    'Sepia2026 Sepia2026',
  ])
    assert.throws(() => refuseGuessable(password, person), { code: 'validation_error', param: 'password' }, JSON.stringify(password))
})

test('other passwords are accepted, in every script', () => {
  for (const password of ['a poet of science', '!!?ä#ö+ü*~^°', 'пароль не простой', 'correct horse battery staple', '8Qz-kk-01-Pw'])
    assert.doesNotThrow(() => refuseGuessable(password, person), password)
  assert.doesNotThrow(() => refuseGuessable('!?#+*~^°§$%&', { ...person, name: '…' }))
})
