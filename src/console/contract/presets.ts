import type { ChatPreset, ChatPresets } from '../../core/chat/preset.ts'

/** GET /console/api/presets. */
export type PresetList = ChatPresets

/** PUT /console/api/presets/:id. */
export type PresetUpdate = Omit<ChatPreset, 'id'>

/** PUT /console/api/presets. */
export interface StandardPreset {
  /** Absent = none for new conversations. */
  readonly standard?: string
}
