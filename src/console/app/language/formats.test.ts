import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'

openBrowserPage().kept.set('sepia.language', 'de')
const { moneyCurrency, moneyInBox, moneyText, plainNumber, showMoneyIn } = await import('./formats.ts')

test('amounts are written in the currency of the service as the language does, fields always hold plain numbers', () => {
  const amounts = [1_234_500_000, 1, 0, -2_000_000]
  const shown = (currency: string | null) => {
    showMoneyIn(currency)
    return amounts.map((amount) => moneyText(amount).replaceAll('\u00a0', ' '))
  }
  assert.deepEqual(shown('EUR'), ['1.234,50 €', '0,000001 €', '0,00 €', '-2,00 €'])
  assert.equal(moneyCurrency(), 'EUR')
  assert.equal(plainNumber(moneyInBox(1_234_500_000)), '1234.50')
  assert.deepEqual(shown('JPY'), ['1.234,5 ¥', '0,000001 ¥', '0 ¥', '-2 ¥'], 'without decimals, except for shares of the smallest unit')
  assert.deepEqual(shown('CHF'), ['1.234,50 CHF', '0,000001 CHF', '0,00 CHF', '-2,00 CHF'])
  for (const none of [null, undefined]) {
    assert.deepEqual(shown(none as null), ['1.234,50', '0,000001', '0,00', '-2,00'])
    assert.equal(moneyCurrency(), null)
  }
})
