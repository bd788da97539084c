// Looks at pages of `breakwire view` in a headless Chromium, as a person would: clicks, filters, zooms, and takes pictures.
// Usage: node view.mjs CHROMIUM PICTURES TRACE.html HOSTILE.html LARGE.html
import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

const [executablePath, pictures, trace, hostile, large] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

// open loads a page, which may not complain about anything and may not ask for anything but itself.
async function open(file, options) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light", ...options });
  page.complaints = [];
  page.on("console", (m) => page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(e.stack));
  page.on("request", (r) => { if (r.url() !== "file://" + file) page.complaints.push("asked for " + r.url()); });
  await page.goto("file://" + file);
  await page.locator(".row").first().waitFor();
  return page;
}
async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.close();
}
// counts waits for what the page says of how many events it shows: filters apply after the key that changes them.
const counts = (page, want) => page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById("count").textContent), want.source)
  .catch(async () => assert.match(await text(page, "#count"), want));
const text = (page, selector) => page.locator(selector).innerText();
// settled waits for what is drawn with the next frame.
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const picture = async (page, name) => { await settled(page); await page.screenshot({ path: path.join(pictures, name + ".png") }); };

{ // a recording of tracepoints, with its source
  const page = await open(trace);
  assert.equal(await text(page, "#program"), "LoopApp.dll");
  await counts(page, /^525 events$/);
  assert.match(await text(page, "#detail"), /trace[\s\S]*Program\.cs:21[\s\S]*hit 1 of 500/);
  assert.equal((await text(page, ".code .here .tx")).trim(), "int w = Work(i);");
  await picture(page, "wide-light");

  await page.fill("#filter", "trace sum>900");
  await page.waitForFunction(() => / of 525$/.test(document.getElementById("count").textContent));
  const narrowed = Number((await text(page, "#count")).split(" ")[0]);
  assert.ok(narrowed > 10 && narrowed < 100, "hits with a sum above 900: " + narrowed);
  await page.locator(".row").nth(2).click();
  assert.match(await text(page, "#detail"), /hit 4\d\d of 500/);
  await page.press("#filter", "Escape");
  await counts(page, /^525 events$/);

  await page.locator("#kinds button", { hasText: "trace" }).click();
  await counts(page, /^25 of 525$/);
  await page.locator("#kinds button", { hasText: "trace" }).click();

  // a drag over the timeline zooms, and the table follows
  const lanes = await page.locator("#lanes").boundingBox();
  await page.mouse.move(lanes.x + lanes.width * 0.5, lanes.y + 12);
  await page.mouse.down();
  await page.mouse.move(lanes.x + lanes.width * 0.6, lanes.y + 12, { steps: 4 });
  await page.mouse.up();
  await counts(page, /^\d+ of 525$/);
  await page.mouse.move(lanes.x + lanes.width * 0.7, lanes.y + 12);
  await settled(page);
  await picture(page, "wide-zoomed");
  await page.click("#whole");
  await counts(page, /^525 events$/);

  // a click on the chart picks the hit under it
  const plot = await page.locator(".u-over").boundingBox();
  await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  assert.match(await text(page, "#detail"), /hit 2(4|5)\d of 500/);
  assert.match(page.url(), /#e\d+$/, "and can be linked to");
  await page.locator("#chart-exprs button").first().click();
  await page.check("#chart-own");

  // keys
  await page.locator("#rows").focus();
  const before = await page.evaluate(() => state.picked);
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => state.picked), before + 1);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "filter");
  await page.click("#by-order");
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, "wide-dark");
  await close(page);

  const phone = await open(trace, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
  await picture(phone, "phone-dark");
  await phone.locator(".row").nth(3).click();
  await close(phone);
}

{ // a recording that means harm
  const page = await open(hostile);
  await page.locator(".row").nth(1).click();
  await page.hover("#lanes");
  await settled(page);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  const foreign = await page.evaluate(() => [...document.querySelectorAll("img,iframe,object,embed,link,base,svg,[onerror],[onload],[style*=url]")].map((e) => e.outerHTML));
  assert.deepEqual(foreign, []);
  assert.equal(await page.evaluate(() => document.scripts.length), 3);
  assert.match(await text(page, "#detail"), /<img src=x onerror=/, "it is shown as the text that it is");
  await close(page);
}

{ // a hundred thousand events
  const page = await open(large);
  await counts(page, /^100,0\d\d events$/);
  assert.ok((await page.locator(".row").count()) < 120, "only rows in sight exist");
  await page.locator("#rows").focus();
  await page.keyboard.press("End");
  assert.match(await page.locator(".row.picked").innerText(), /terminated/);
  await page.fill("#filter", "i=19999");
  await page.waitForFunction(() => /^1 of/.test(document.getElementById("count").textContent));
  await picture(page, "large");
  await close(page);
}

await browser.close();
console.log("the pages hold");
