package mapping

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// netcoredbgShows returns a number as netcoredbg shows it (%.16g of C, %.8g of a float).
func netcoredbgShows(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }

// TestFloatText has the texts that .NET 9 printed.
func TestFloatText(t *testing.T) {
	for bits, want := range map[uint64]string{
		4599075939470750516: "0.30000000000000004", 4599075939470750515: "0.3", 4816244402031689728: "100000000000000",
		4846369599423283200: "10000000000000000", 4861130398305394688: "1E+17", 4862596447618666293: "1.2345678901234568E+17",
		4847542438873900484: "12345678901234568", 4547007122018943789: "0.0001", 4532020583610935537: "1E-05",
		4533404827286226701: "1.2345E-05", 9218868437227405311: "1.7976931348623157E+308", 1: "5E-324",
		1 << 63: "-0", 4936209963552724371: "1.0000000000000002E+22", 4599676419421066581: "0.3333333333333333",
	} {
		assert.Equal(t, want, Float{math.Float64frombits(bits), 16}.Text())
	}
	for bits, want := range map[uint32]string{
		1036831949: "0.1", 1259902592: "10000000", 1287568416: "100000000", 1290500515: "123456790", 1252698795: "5592405.5",
		2139095039: "3.4028235E+38", 1: "1E-45", 925353388: "1E-05", 953267991: "0.0001", 1051372203: "0.33333334",
	} {
		assert.Equal(t, want, Float{float64(math.Float32frombits(bits)), 8}.Text())
	}
}

// TestFloatAnswer rebuilds numbers from what netcoredbg shows of them and of their distance to it.
func TestFloatAnswer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := []float64{0.1 + 0.2 + 1e-17, 0.30000000000000004, 0.3, math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e22, 3,
		19.99, 1.2345e-310, math.Nextafter(1, 0), math.Nextafter(1, 2), 4503599627370497.5}
	for range 20000 {
		numbers = append(numbers, math.Float64frombits(random.Uint64()), random.Float64()*100)
	}
	certain := 0
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		f, ok := ReadFloat(netcoredbgShows(x, 16), "double")
		require.True(t, ok, "%v", x)
		if f.Certain() {
			certain++
			require.Equal(t, x, f.near)
		}
		exact, ok := f.Answer(netcoredbgShows(x-f.near, 16))
		require.True(t, ok, "%v", x)
		require.Equal(t, x, exact.near)
		back, err := strconv.ParseFloat(exact.Text(), 64)
		require.NoError(t, err)
		require.Equal(t, x, back)

		y := float64(math.Float32frombits(random.Uint32()))
		if f, ok = ReadFloat(netcoredbgShows(y, 8), "float"); ok {
			if f.Certain() {
				require.Equal(t, float32(y), float32(f.near))
			}
			exact, ok = f.Answer(netcoredbgShows(y, 16))
			require.True(t, ok, "%v", y)
			require.Equal(t, y, exact.near)
		}
	}
	assert.Greater(t, certain, 1000)
}

func TestFloatQuestion(t *testing.T) {
	ask := func(value, typ string) string {
		f, _ := ReadFloat(value, typ)
		return f.Question("x")
	}
	assert.Equal(t, "x - 3E-01d", ask("0.3", "double"))
	assert.Equal(t, "x + 3.333E-01d", ask("-0.3333", "double?"))
	assert.Equal(t, "x - 1.7976931348623157E+308d", ask("1.797693134862316e+308", "double"))
	assert.Equal(t, "x + 0d", ask("0.1", "float"))
	for _, text := range []string{"-nan", "inf", "", "{x}", "null"} {
		_, ok := ReadFloat(text, "double")
		assert.False(t, ok, text)
	}
	f, _ := ReadFloat("0.30000000000000004", "double") // all its digits were there already
	exact, ok := f.Answer("0")
	assert.True(t, ok)
	assert.Equal(t, "0.30000000000000004", exact.Text())
	f, _ = ReadFloat("0.3", "double")
	_, ok = f.Answer("0.25") // the variable has changed
	assert.False(t, ok)
	for _, text := range []string{"nan", "-inf", "x"} {
		_, ok := f.Answer(text)
		assert.False(t, ok)
	}
}
