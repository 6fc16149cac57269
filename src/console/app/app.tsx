import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { FirstStartPage } from './pages/entry/first-start-page.tsx'
import { JoinPage } from './pages/entry/join-page.tsx'
import { SignInPage } from './pages/entry/sign-in-page.tsx'
import { FailureNote } from './parts/failure-note.tsx'
import { Ghosts } from './parts/ghosts.tsx'
import { Toasts } from './parts/toasts.tsx'
import { Shell } from './shell.tsx'
import { path } from './state/router.ts'
import { loadSession, session } from './state/session.ts'

/** Shows the join page, the sign-in page or the console. */
export function App(): VNode {
  useEffect(() => {
    void loadSession()
  }, [])
  return (
    <>
      <Screen />
      <Toasts depth={0} />
    </>
  )
}

function Screen(): VNode | null {
  if (path.value === '/console/join') return <JoinPage />
  const current = session.value
  switch (current.state) {
    case 'unknown':
      return (
        <main class="main late">
          <Ghosts />
        </main>
      )
    case 'failed':
      return (
        <main class="main">
          <FailureNote failure={current.failure} retry={loadSession} />
        </main>
      )
    case 'none':
      return current.greeting === 'first-run' ? (
        <FirstStartPage ways={current.ways} />
      ) : (
        <SignInPage ways={current.ways} greeting={current.greeting} />
      )
    case 'signed-in':
      return <Shell account={current.account} />
  }
}
