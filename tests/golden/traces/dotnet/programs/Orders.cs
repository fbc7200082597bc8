// One program, many faults: the first argument names the one to run.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Acme.Orders
{
    public class OrderException : Exception
    {
        public OrderException(string message, Exception inner) : base(message, inner) { }
    }

    public interface IStore<T> { void Put(string key, T value); }

    public struct Money
    {
        public readonly long Cents;
        public Money(long cents) { Cents = cents; }
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Money operator /(Money left, int right) { return new Money(left.Cents / right); }
    }

    public class Store : IStore<int[]>, IDisposable
    {
        readonly Dictionary<string, int[]> rows = new Dictionary<string, int[]>();
        void IStore<int[]>.Put(string key, int[] value) { rows.Add(key, value); }
        public T Find<T>(string key, ref int misses, out bool found) where T : class
        {
            found = false;
            misses++;
            return (T)(object)rows[key];
        }
        void IDisposable.Dispose() { throw new ObjectDisposedException("Store"); }
    }

    public class Config
    {
        public static readonly int Limit = int.Parse("ten");
        public class Section { public Section(string name) { if (name == null) throw new ArgumentNullException("name"); } }
    }

    public static class Service
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Read(string path) { File.ReadAllText(path); }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Load(string path)
        {
            try { Read(path); }
            catch (IOException error) { throw new InvalidOperationException("无法读取订单 " + 42 + "：\n请检查路径", error); }
        }

        public static void Nested()
        {
            try { Load("/srv/app/orders/20240131.csv"); }
            catch (Exception error) { throw new OrderException("order 8731 failed", error); }
        }

        static async Task FetchAsync(int id)
        {
            await Task.Yield();
            if (id % 2 == 1) throw new TimeoutException("shard " + id + " timed out");
            throw new FormatException("shard " + id + " is damaged");
        }

        static async Task<int> LoadAsync(int id)
        {
            await FetchAsync(id);
            return id;
        }

        public static void Async() { LoadAsync(3).GetAwaiter().GetResult(); }

        public static void Group() { Task.WaitAll(Enumerable.Range(0, 3).Select(LoadAsync).ToArray()); }

        static IEnumerable<int> Lines(string[] rows)
        {
            foreach (var row in rows) yield return row.Length;
        }

        public static void Iterator() { Console.WriteLine(Lines(new[] { "a", null }).Sum()); }

        public static void Lambda()
        {
            var limit = 3;
            Func<int, int> check = n => { if (n > limit) throw new ArgumentOutOfRangeException("n", n, "数量超出上限"); return n; };
            Console.WriteLine(new[] { 1, 7 }.Select(n => check(n)).ToList().Count);
        }

        public static void Generic()
        {
            int misses = 0; bool found;
            new Store().Find<string>("k-17", ref misses, out found);
        }

        public static void Interface()
        {
            IStore<int[]> store = new Store();
            store.Put("a", null); store.Put("a", null);
        }

        public static void Dispose() { using (new Store()) { } }
        public static void StaticConstructor() { Console.WriteLine(Config.Limit); }
        public static void Constructor() { new Config.Section(null); }
        public static void Operator() { Console.WriteLine((new Money(100) / int.Parse("0")).Cents); }
        public static void Reflected() { typeof(Service).GetMethod("Nested").Invoke(null, null); }
        public static void Null() { string name = Environment.GetEnvironmentVariable("NO_SUCH_NAME"); Console.WriteLine(name.Length); }
        public static void Cast() { object o = "text"; Console.WriteLine((int[])o); }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Depth(int n) { if (n == 0) throw new NotSupportedException("too deep"); return Depth(n - 1) + 1; }
        public static void Recursion() { Depth(12); }

        public static void Socket() { new TcpClient("127.0.0.1", 9); }

        public static void Thread()
        {
            var thread = new Thread(() => Null());
            thread.Start();
            thread.Join();
        }

        public static void Logged()
        {
            try { Nested(); }
            catch (Exception error)
            {
                foreach (var line in error.ToString().Split('\n'))
                    Console.WriteLine("2024-01-31 09:12:44,107 [Worker-3] ERROR Acme.Orders.Service - " + line);
            }
        }

        public static void Print(string name)
        {
            try { typeof(Service).GetMethod(name).CreateDelegate(typeof(Action)).DynamicInvoke(); }
            catch (TargetInvocationException error) { Console.WriteLine(error.InnerException); }
        }
    }

    public static class Program
    {
        public static void Main(string[] args)
        {
            if (args.Length > 1) Service.Print(args[0]);
            else ((Action)typeof(Service).GetMethod(args[0]).CreateDelegate(typeof(Action)))();
        }
    }
}
