import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { detectPictureProtocol, showPicture } from './draw.ts'

describe('a picture in a terminal', () => {
  for (const [environment, protocol] of [
    [{}, 'none'],
    [{ TERM: 'xterm-256color' }, 'none'],
    [{ TERM: 'xterm-kitty' }, 'kitty'],
    [{ KITTY_WINDOW_ID: '1' }, 'kitty'],
    [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
    [{ LC_TERMINAL: 'iTerm2' }, 'iterm2'],
    [{ TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
    [{ KITTY_WINDOW_ID: '1', TMUX: '/tmp/x' }, 'none'],
    [{ TERM: 'screen-256color', LC_TERMINAL: 'iTerm2' }, 'none'],
  ] as const)
    it(`is ${protocol} for ${JSON.stringify(environment)}`, () => assert.equal(detectPictureProtocol(environment), protocol))

  it('is sent to kitty in pieces, of which only the last is marked as the last', () => {
    const base64 = 'A'.repeat(4096 * 2 + 4)
    const pieces = showPicture('kitty', base64).trimEnd().split('\u001b\\').slice(0, -1)
    assert.deepEqual(
      pieces.map((piece) => piece.split(';')[0]),
      ['\u001b_Ga=T,f=100,m=1', '\u001b_Gm=1', '\u001b_Gm=0'],
    )
    assert.equal(pieces.map((piece) => piece.split(';')[1]).join(''), base64)
  })
})
