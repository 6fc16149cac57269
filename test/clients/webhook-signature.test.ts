import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signWebhook } from '../../src/worker/post-webhook.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

test('an independent verifier accepts signatures of the current and the last secret only', () => {
  const [current, last] = [newSecret(), newSecret()]
  const body = JSON.stringify({ type: 'inference.completed', text: 'ünïcode' })
  const headers = signWebhook({ id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body }, [current, last])
  for (const secret of [current, last]) assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
  assert.throws(() => new Webhook(newSecret()).verify(body, headers))
  assert.throws(() => new Webhook(current).verify(`${body} `, headers))
})
