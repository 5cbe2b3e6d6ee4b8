# tilewright: arch sm_80
# popcount, clz, ldexp, brev and ffs are executed.
# verdict run bits: verified
from tvm.script import tirx as T


# tilewright: run bits reference=plain x=arange z=ones
@T.prim_func
def bits(x: T.Buffer((64,), "uint32"), z: T.Buffer((64,), "float32"), count: T.Buffer((64,), "uint32"), zeros: T.Buffer((64,), "uint32"),
         reverse: T.Buffer((64,), "uint32"), first: T.Buffer((64,), "int32"), scaled: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    count[t] = T.popcount(x[t])
    zeros[t] = T.cast(T.clz(x[t]), "uint32")
    reverse[t] = T.call_pure_extern("uint32", "__brev", x[t])
    first[t] = T.call_pure_extern("int32", "__ffs", x[t])
    scaled[t] = T.ldexp(z[t], T.cast(t, "int32") - 32)


@T.prim_func
def plain(x: T.Buffer((64,), "uint32"), z: T.Buffer((64,), "float32"), count: T.Buffer((64,), "uint32"), zeros: T.Buffer((64,), "uint32"),
          reverse: T.Buffer((64,), "uint32"), first: T.Buffer((64,), "int32"), scaled: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    n: T.uint32 = T.uint32(0)
    high: T.uint32 = T.uint32(32)
    turned: T.uint32 = T.uint32(0)
    low: T.int32 = 0
    for i in T.serial(32):
        bit: T.let = (x[t] >> T.cast(i, "uint32")) & T.uint32(1)
        n = n + bit
        turned = turned | (bit << T.cast(31 - i, "uint32"))
        if bit == T.uint32(1):
            high = T.cast(31 - i, "uint32")
            if low == 0:
                low = i + 1
    count[t] = n
    zeros[t] = high
    reverse[t] = turned
    first[t] = low
    value: T.float32 = z[t]
    for i in T.serial(32):
        if i < 32 - t:
            value = value * T.float32(0.5)
        if i < t - 32:
            value = value * T.float32(2.0)
    scaled[t] = value
