import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { openProgressBar, openSpinner } from './progress-bar.ts'

function draw({ interactive, steps }: { interactive: boolean; steps: readonly (readonly [time: number, done: number])[] }): string {
  let written = ''
  let time = 0
  const err = (text: string): void => {
    written += text
  }
  {
    using bar = openProgressBar({ terminal: { err, interactive }, now: () => time }, 'Fetching')
    for (const [at, done] of steps) {
      time = at
      bar.report(done, 100)
    }
  }
  return written
}

describe('the progress bar', () => {
  it('stays away for two seconds, then draws and clears its line at the end', () => {
    assert.equal(draw({ interactive: true, steps: [[1_999, 50]] }), '')
    const drawn = draw({ interactive: true, steps: [[2_000, 50]] })
    assert.match(drawn, /Fetching █{15}░{15} 50 %/)
    assert.ok(drawn.endsWith('\r\u001b[2K'))
  })

  it('draws at most ten times a second', () => {
    const drawn = draw({
      interactive: true,
      steps: [
        [2_000, 50],
        [2_050, 60],
        [2_100, 70],
      ],
    })
    assert.doesNotMatch(drawn, /60 %/)
    assert.match(drawn, /70 %/)
  })

  it('draws only on a terminal', () => {
    assert.equal(draw({ interactive: false, steps: [[5_000, 50]] }), '')
  })
})

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

  it('shows nothing for half a second, and nothing without a terminal', () => {
    assert.equal(watched(true, 500), '')
    assert.equal(watched(false, 60_000), '')
  })

  it('then counts the seconds, and erases its line at the end', () => {
    const text = watched(true, 3000)
    assert.match(text, /Loading … 3 s/)
    assert.ok(text.endsWith('\r\u001b[2K'))
  })
})
