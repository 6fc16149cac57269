import { useEffect } from 'preact/hooks'

/** Runs something every so often while the component is shown and the page is in sight. */
export function useRepeat(run: () => void, everyMs: number | null): void {
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') run()
    }, everyMs)
    return () => clearInterval(timer)
  }, [run, everyMs])
}
