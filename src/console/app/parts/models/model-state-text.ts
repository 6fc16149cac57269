import type { ConsoleModel } from '../../../contract/models.ts'
import { percentText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'

/** A text about a model that is loading, with the progress, or whose server is unavailable; null when it is ready. */
export function loadingText({ name, state, away }: Pick<ConsoleModel, 'name' | 'state' | 'away'>): string | null {
  if (away) return t`The server of ${name} isn’t responding; waiting for it.`
  switch (state.state) {
    case 'unloaded':
      return t`Loading ${name}…`
    case 'loading':
      return state.loadProgress === undefined ? t`Loading ${name}…` : t`Loading ${name}: ${partText(state.loadProgress)}`
    case 'backing-off':
      return t`${name} stopped and is restarting.`
    case 'loaded':
      return null
  }
}

const words = {
  unloaded: t`not loaded`,
  loading: t`loading`,
  loaded: t`loaded`,
  'backing-off': t`crashed, waiting`,
} as const satisfies Record<ConsoleModel['state']['state'], string>

/** The state of a model, with the loading progress if its engine reports it. */
export function stateText({ state, loadProgress }: Pick<ConsoleModel['state'], 'state' | 'loadProgress'>): string {
  return state !== 'loading' || loadProgress === undefined ? words[state] : `${words[state]} ${partText(loadProgress)}`
}

/** A model whose weights are read is not ready yet, so it is never at 100 %. */
function partText(loadProgress: number): string {
  return percentText(Math.min(0.99, loadProgress))
}
