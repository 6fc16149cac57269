/** How a terminal shows pictures: by kitty's protocol, iTerm2's, or not at all. */
export type PictureProtocol = 'kitty' | 'iterm2' | 'none'

/** What a terminal says of itself in the environment; one that says nothing is sent nothing that it might print as text. */
export function detectPictureProtocol(environment: Readonly<Record<string, string | undefined>>): PictureProtocol {
  const { TERM = '', TERM_PROGRAM: program = '', LC_TERMINAL: terminal, KITTY_WINDOW_ID: kitty, TMUX: tmux } = environment
  // A multiplexer would swallow it or print it.
  if (tmux || /^(screen|tmux)/.test(TERM)) return 'none'
  if (kitty || TERM === 'xterm-kitty' || TERM === 'xterm-ghostty' || program === 'ghostty') return 'kitty'
  return ['iTerm.app', 'WezTerm'].includes(program) || terminal === 'iTerm2' ? 'iterm2' : 'none'
}

/** Most base64 characters that kitty takes in one piece. */
const pieceLength = 4096

/** What to write to a terminal so that it shows a PNG; empty where it cannot. */
export function showPicture(protocol: PictureProtocol, base64: string): string {
  if (protocol === 'none') return ''
  if (protocol === 'iterm2') return `\u001b]1337;File=inline=1;preserveAspectRatio=1:${base64}\u0007\n`
  const pieces = base64.match(new RegExp(`.{1,${pieceLength}}`, 'g')) ?? []
  return `${pieces
    .map((piece, index) => `\u001b_G${index === 0 ? 'a=T,f=100,' : ''}m=${index === pieces.length - 1 ? 0 : 1};${piece}\u001b\\`)
    .join('')}\n`
}
