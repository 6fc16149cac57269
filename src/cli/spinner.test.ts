import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { openSpinner } from './spinner.ts'

describe('a spinner', () => {
  const watched = (interactive: boolean, ms: number): string => {
    let text = ''
    mock.timers.enable({ apis: ['setInterval'] })
    {
      using _spinner = openSpinner({ interactive, err: (part) => (text += part) }, 'Loading')
      mock.timers.tick(ms)
    }
    mock.timers.reset()
    return text
  }

  it('says nothing for half a second, nor where nobody watches', () => {
    assert.equal(watched(true, 500), '')
    assert.equal(watched(false, 60_000), '')
  })

  it('counts the seconds after that, and leaves no line behind', () => {
    const text = watched(true, 3000)
    assert.match(text, /Loading … 3 s/)
    assert.ok(text.endsWith('\r\u001b[2K'))
  })
})
