import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageCsv } from './usage-csv.ts'

const day = {
  day: '2026-01-01',
  accountId: 'a',
  requests: 1,
  failures: 0,
  refusals: 5,
  promptTokens: 2,
  completionTokens: 3,
  images: 4,
  cost: 1_500_000,
}

test('usage becomes one row per day and model', () => {
  assert.equal(
    usageCsv([{ ...day, model: 'chat' }]),
    'day,account,model,requests,failures,refusals,prompt_tokens,completion_tokens,images,cost\r\n2026-01-01,a,chat,1,0,5,2,3,4,1.50\r\n',
  )
})

test('commas are quoted, and formulas are escaped', () => {
  assert.match(usageCsv([{ ...day, model: '=cmd,"x"' }]), /,"'=cmd,""x""",/)
})
