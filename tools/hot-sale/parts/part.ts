import type { LoadProcess } from '../load-process.ts'
import type { HotStand } from '../stand.ts'

/** What every part of the measurement has. */
export interface Bench {
  stand: HotStand
  load: LoadProcess
  /** How long one figure is measured. */
  seconds: number
  /** How many buyers at once, one figure for each. */
  buyers: readonly number[]
  /** Buyers of a storm. */
  storm: number
}

/** A part prints nothing: what it found is a table and, for files, rows. */
export interface Found {
  title: string
  head: readonly string[]
  lines: string[][]
  rows: Record<string, unknown>[]
  /** Lines to say below the table. */
  notes?: string[]
  /** What must not be, as lines. */
  faults?: string[]
}

export const whole = (value: number | undefined): string => value?.toFixed(0) ?? ''
