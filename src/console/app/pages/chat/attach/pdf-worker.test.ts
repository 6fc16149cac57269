import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writePdf } from '../../../../../../test/browser/support/written-pdf.ts'
import { readPdf } from './pdf-worker.ts'

/** A PDF of two pages that claims to have more between them. */
function claimPages(count: number): Buffer {
  const pdf = writePdf(['first', 'last']).toString('latin1')
  const tree = '/Count 2 /Kids [4 0 R 6 0 R]'
  assert.ok(pdf.includes(tree))
  return Buffer.from(pdf.replace(tree, `/Count ${count} /Kids [4 0 R << /Type /Pages /Count ${count - 2} /Kids [] >> 6 0 R]`), 'latin1')
}

for (const [what, bytes, expected] of [
  ['pages', writePdf(['The word is heron.', 'The other is owl.']), { text: 'The word is heron.\n\nThe other is owl.' }],
  ['a page without text', writePdf(['']), { text: '' }],
  ['an encrypted file', writePdf(['secret'], { locked: true }), { hindrance: 'protected' }],
  ['a truncated file', writePdf(['gone']).subarray(0, 60), { hindrance: 'damaged' }],
  ['only the beginning of a file', Buffer.from('%PDF-1.4\n\0\x01'), { hindrance: 'damaged' }],
  ['a file that claims to have a thousand million pages', claimPages(1_000_000_000), { hindrance: 'damaged' }],
] as const)
  test(`reads the text of a PDF: ${what}`, async () => {
    assert.deepEqual(await readPdf(new Uint8Array(bytes)), expected)
  })
