import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from './base-path.ts'

for (const hostname of ['localhost', 'sepia.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
  test(`${hostname} is a loopback address`, () => assert.equal(isLoopback(hostname), true))

for (const hostname of ['localhost.example', 'mylocalhost', '127.0.0.1.example', '10.127.0.0', '192.168.1.20', '[::2]', '[2001:db8::1]'])
  test(`${hostname} can be reached from other machines`, () => assert.equal(isLoopback(hostname), false))
