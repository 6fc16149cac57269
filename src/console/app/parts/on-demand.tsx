import { useSignal } from '@preact/signals'
import { type ComponentChild, type ComponentType, h, type VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../language/t.ts'
import { Button } from './button.tsx'
import { Ghosts } from './ghosts.tsx'

/** A component whose code is loaded when it is first shown; grey lines until then. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => ComponentChild {
  let loaded: ComponentType<Props> | null = null
  return function OnDemand(props) {
    const state = useSignal<'loading' | 'failed' | 'loaded'>('loading')
    useEffect(() => {
      if (loaded !== null) return
      load().then(
        (component) => {
          loaded = component
          state.value = 'loaded'
        },
        () => (state.value = 'failed'),
      )
    }, [])
    if (state.value === 'failed') return <NotLoaded />
    return loaded === null ? <Ghosts /> : h(loaded, props)
  }
}

/** After an upgrade, the service has the code of another version. */
function NotLoaded(): VNode {
  return (
    <div class="note bad" role="alert">
      <span>{t`This page couldn’t be loaded. Check that the service is running, then reload the page.`}</span>
      <Button size="small" onClick={() => location.reload()}>
        {t`Load again`}
      </Button>
    </div>
  )
}
