/** Key of the entry on which a link to a place of the page was pressed. */
let pressed: unknown

/**
 * Gives each entry of the history a key of its own. Browsers follow a link to a place of the page themselves, and scroll
 * after React Router has heard of it: where the new entry has no key, or the key of the one before, as in Chrome for the
 * same place once more, React Router would scroll back to where the link was pressed. To call before the router listens.
 */
export function keyHistory(): void {
  window.addEventListener('click', ({ target }) => {
    pressed = target instanceof Element && target.closest('a[href^="#"]') ? history.state?.key : undefined
  })
  window.addEventListener('popstate', () => {
    const { state } = history
    if (state === null || (pressed !== undefined && state.key === pressed))
      history.replaceState({ ...state, key: `${performance.now()}` }, '')
    pressed = undefined
  })
}
