import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'

const page = openBrowserPage('/console/chat')
page.kept.set('sepia.work.kinds', JSON.stringify({ text: 'kept', number: '5', flag: null, list: { '0': 'x' }, record: ['x'], unknown: 1 }))
page.kept.set('sepia.work.broken', '{')
page.kept.set('sepia.work.none', 'null')
const { storedSignal } = await import('./stored.ts')
const { colourCount, colourOf } = await import('./model-colours.ts')
const { compactText, decimalText, listText, anyOfText, moneyText, numberInBox, plainNumber, wholeText } = await import(
  '../language/formats.ts'
)

suite('state stored in the browser', () => {
  const kinds = { text: '', number: 1, flag: true, list: [] as readonly string[], record: {} as Readonly<Record<string, string>> }

  test('is read if it has the expected type, and is the default otherwise', () => {
    assert.deepEqual(storedSignal('kinds', kinds).value, { ...kinds, text: 'kept' })
    assert.deepEqual(storedSignal('broken', kinds).value, kinds)
    assert.deepEqual(storedSignal('none', kinds).value, kinds)
    assert.deepEqual(storedSignal('new', kinds).value, kinds)
  })

  test('is stored as soon as it changes', () => {
    const stored = storedSignal('changing', { text: 'a' })
    stored.value = { text: 'b' }
    assert.equal(page.kept.get('sepia.work.changing'), '{"text":"b"}')
    assert.deepEqual(storedSignal('changing', { text: '' }).value, { text: 'b' })
  })

  test('models keep their colours, and no two share one while enough are free', () => {
    const models = Array.from({ length: colourCount }, (_, index) => `model ${index}`)
    const colours = models.map(colourOf)
    assert.deepEqual(
      colours.toSorted(),
      Array.from({ length: colourCount }, (_, index) => index),
    )
    assert.deepEqual(models.map(colourOf), colours)
    for (const name of ['one more', 'constructor', '__proto__', ''])
      assert.ok(Number.isInteger(colourOf(name)) && colourOf(name) < colourCount, name)
  })
})

suite('numbers as users read and type them', () => {
  for (const [typed, plain] of [
    ['5', '5'],
    [' 1,234 ', '1234'],
    ['1,234,567.5', '1234567.5'],
    ['12,34', '12,34'],
    ['1,23', '1,23'],
    ['-1,000', '-1000'],
    ['abc', 'abc'],
    ['', ''],
  ] as const)
    test(`reads ${JSON.stringify(typed)} as ${JSON.stringify(plain)}`, () => assert.equal(plainNumber(typed), plain))

  test('a formatted value in a field is read back unchanged', () => {
    for (const value of [0, -1, 1234567, 0.05, 1e-7, 12_345.678]) assert.equal(Number(plainNumber(numberInBox(value))), value)
    for (const value of [0, 999, 1000, 1_234_567]) assert.equal(Number(plainNumber(wholeText(value))), value)
  })

  test('amounts, percentages and lists use English formats', () => {
    assert.deepEqual(
      [wholeText(1234.5), compactText(12_345), moneyText(2_500_000), moneyText(1), decimalText(1.25, 1), decimalText(1, 2, 2)],
      ['1,235', '12K', '2.50', '0.000001', '1.3', '1.00'],
    )
    assert.deepEqual([listText(['a', 'b', 'c']), anyOfText(['a', 'b'])], ['a, b, and c', 'a or b'])
  })
})
