/** Where code reads the time from; deadlines that decide about money or tickets use the database's clock instead. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Milliseconds since the epoch, for measuring durations. */
export const nowMs = (): number => Date.now()
