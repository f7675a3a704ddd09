// A text field that tells each change at once. `mark` names the text it was filled with: only a new one replaces what is typed.
export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".editor")
  const field = root.querySelector("textarea")
  const place = root.querySelector(".place")
  const status = root.querySelector(".status")
  root.querySelector(".label").textContent = data.label
  field.rows = data.rows
  if (root.dataset.mark !== data.mark) {
    root.dataset.mark = data.mark
    field.value = data.text
  }
  status.textContent = data.fault || data.fine
  status.classList.toggle("fault", Boolean(data.fault))
  field.setAttribute("aria-invalid", data.fault ? "true" : "false")
  const point = () => {
    const top = (data.line - 1) * 20 + 10 - field.scrollTop
    place.hidden = !data.line || top < 0 || top > field.clientHeight - 20
    place.style.top = `${top}px`
  }
  point()
  field.onscroll = point
  field.oninput = () => setStateValue("text", field.value)
}
