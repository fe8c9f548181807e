/**
 * Tells the size of an element now and whenever it changes; in a browser without `ResizeObserver` with the window's.
 * @returns stops it
 */
export function watchSize(element: Element, tell: () => void): () => void {
  try {
    const observer = new ResizeObserver(tell)
    observer.observe(element)
    return () => observer.disconnect()
  } catch {
    tell()
    window.addEventListener('resize', tell)
    return () => window.removeEventListener('resize', tell)
  }
}
